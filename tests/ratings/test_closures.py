"""Fair play: accounts closed for rated play, their games, and reopening."""

from io import BytesIO
from itertools import permutations

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from members.models import AccountClosure
from ratings.formats.games import read_games_csv
from ratings.models import Game
from ratings.office.audit import audit
from ratings.office.deciding import Proposal, decide_at_once, preview
from ratings.office.kinds import kind_of
from ratings.office.models import AuditFinding
from ratings.services.ledger.corrections import reinstate_games, void_games
from ratings.services.ledger.importing import import_games
from ratings.services.ledger.replay import deferred, replay
from ratings.services.memberships import change_spans
from tests.arena import START, at, control, game, points, projections
from tests.backoffice import admin_page, game_form
from tests.pages import words
from tests.ratings.closing import close, proposed, reopen, toth_has_played, void

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="class")
def played(standing):
    return standing(toth_has_played)


class TestClosing:
    def test_all_games_since_a_day_and_those_that_started_in_the_closure_become_void(self, played):
        anna, _bob, _carl, games = played
        done = close(anna)
        assert void() == {one.pk for one in games[:3]}
        assert points(anna) == 1700
        assert replay(check=True).differences == 0
        assert {one.void_reason for one in Game.objects.filter(pk__in=void())} == {"fair-play"}
        assert {one.void_note for one in Game.objects.filter(pk__in=void())} == {"engine"}
        closure = AccountClosure.objects.get()
        assert (closure.note, closure.closed_until, done.public_reason) == ("engine", None, "fair-play")

    def test_only_games_against_certain_opponents_become_void_and_those_in_the_closure(self, played):
        anna, _bob, carl, games = played
        close(anna, games="opponents", opponents=carl.username)
        assert void() == {games[1].pk, games[2].pk}

    def test_games_from_before_the_closure_are_kept_and_later_ones_cannot_be(self, played):
        anna, _bob, _carl, games = played
        shown = preview(proposed(anna, games="keep"))
        assert [one.label for one in shown.warnings] == [
            "1 game started after the account is closed, so it can't be kept."
        ]
        close(anna, games="keep", since="")
        assert void() == {games[2].pk}

    def test_a_game_that_starts_at_the_first_moment_is_void_and_at_the_last_moment_counts(self, played):
        anna, _bob, _carl, games = played
        # The third game starts at minute 30.
        close(anna, games="keep", closed_from="2026-03-01T00:30", closed_until="2026-03-01T01:00")
        assert void() == {games[2].pk}
        reopen(anna)
        close(anna, games="keep", closed_from="2026-03-01T00:20", closed_until="2026-03-01T00:30")
        assert void() == set()

    def test_games_after_the_end_of_the_closure_count(self, played):
        anna, _bob, _carl, games = played
        close(anna, closed_from="2026-03-01T00:12", closed_until="2026-03-01T00:30")
        assert void() == {games[0].pk, games[1].pk}

    def test_a_game_in_progress_becomes_void_too(self, played):
        anna, bob, _carl, _games = played
        going = game(anna, bob, "", minute=50, ended_at=None)
        close(anna)
        assert going.pk in void()

    def test_unrated_games_stay_as_they_are(self, played):
        anna, bob, _carl, _games = played
        friendly = game(anna, bob, minute=60, rated=False)
        close(anna)
        assert friendly.pk not in void()

    def test_its_effect_on_every_opponent_is_shown_first(self, played):
        anna, bob, carl, _games = played
        before = projections()
        effect = preview(proposed(anna))
        assert {move.subject for move in effect.moves} == {anna.pk, bob.pk, carl.pk}
        assert projections() == before
        after = {move.subject: move.after for move in effect.moves}
        close(anna)
        assert {who.pk: points(who) * 100 for who in (anna, bob, carl)} == after

    @pytest.mark.parametrize(
        ("fields", "told"),
        [
            ({"closed_until": "2026-03-01T00:25"}, "Choose a moment after the account is closed."),
            ({"since": ""}, "Choose the first day of the games that become void."),
            ({"since": "2026-03-02"}, "Choose a day that isn't after the account is closed."),
            ({"games": "opponents"}, "Name the opponents, or void all games."),
            ({"opponents": "nobody"}, "No members have these usernames: nobody."),
            ({"games": "opponents", "opponents": "x\ny"}, "No members have these usernames: x, y."),
        ],
    )
    def test_what_makes_no_sense_is_refused_in_words(self, played, fields, told):
        with pytest.raises(ValidationError) as refused:
            close(played[0], **fields)
        assert told in refused.value.messages

    def test_a_member_who_asks_for_it_keeps_their_games_and_the_register_says_so(self, client, played):
        anna, _bob, _carl, games = played
        done = close(anna, category="request", games="keep", since="")
        text = words(client.get(done.get_absolute_url()))
        assert "Account closed at the member's request" in text
        games[2].refresh_from_db()
        assert str(games[2].why_void) == "At the member's request"

    def test_an_account_is_not_closed_twice_at_once(self, played):
        anna = played[0]
        close(anna)
        with pytest.raises(ValidationError, match="This account is already closed then: Toth, Anna"):
            close(anna, closed_from="2026-04-01T00:00")
        close(played[1], closed_from="2026-04-01T00:00", games="keep")


class TestReopening:
    def test_everything_is_as_it_was_to_the_byte(self, played):
        anna = played[0]
        before = projections(), list(Game.objects.order_by("pk").values())
        done = close(anna)
        undo = kind_of(done.undo["kind"])
        decide_at_once(Proposal(kind=undo, parameters=done.undo["parameters"], undoes=done))
        assert (projections(), list(Game.objects.order_by("pk").values())) == before
        assert not AccountClosure.objects.exists()

    def test_a_game_of_two_closed_accounts_stays_void_when_one_is_reopened(self, played):
        anna, bob, _carl, games = played
        close(anna)
        close(bob)
        shown = Proposal(
            kind=kind_of("reopen-account"),
            parameters={"closure": [str(AccountClosure.objects.get(member=anna).pk)]},
        )
        told = [one.label for one in preview(shown).warnings]
        assert len(told) == 2
        assert f"stays void: the account of {bob} is closed as well, from 1 Mar 2026" in told[0]
        reopen(anna)
        assert void() == {games[0].pk, games[2].pk, games[3].pk}
        reopen(bob)
        assert void() == set()

    @pytest.mark.parametrize("order", list(permutations(range(3))), ids=str)
    def test_what_counts_follows_from_the_closures_that_are_left_in_whatever_order(self, played, order):
        """Each closure alone gives the same as if the two others had never been."""
        *three, _games = played
        alone = {}
        for who in three:
            close(who)
            alone[who.pk] = void(), projections()
            reopen(who)
        for number in order:
            close(three[number])
        reopen(three[order[0]])
        reopen(three[order[2]])
        assert (void(), projections()) == alone[three[order[1]].pk]

    def test_a_game_that_was_void_for_another_reason_stays_void(self, played):
        anna, _bob, _carl, games = played
        void_games(games=games[:1], by=None, reason="error", at=at(500))
        close(anna)
        reopen(anna)
        assert void() == {games[0].pk}

    def test_a_game_that_can_not_be_rated_for_another_reason_stays_void_and_is_named(self, played):
        anna, bob, _carl, games = played
        close(anna)
        change_spans(member=bob, spans=[(START, at(28))])
        closure = str(AccountClosure.objects.get().pk)
        proposal = Proposal(kind=kind_of("reopen-account"), parameters={"closure": [closure]})
        (told,) = (one.label for one in preview(proposal).warnings)
        assert "stays void: Black was not a full member when the game started (RBB 2.1)" in told
        reopen(anna)
        assert void() == {games[2].pk}


class TestAClosedAccount:
    """No way leads to a rated game of a closed account."""

    REFUSAL = "the account of Toth, Anna is closed for rated play from 1 Mar 2026, 00:25 UTC"

    @pytest.fixture(autouse=True)
    def closed(self, played):
        self.anna, self.bob, *_others = played
        close(self.anna)

    def test_a_rated_game_is_refused_at_the_field_with_name_and_dates(self):
        with pytest.raises(ValidationError) as refused:
            game(self.bob, self.anna, minute=60)
        ((field, (told,)),) = refused.value.message_dict.items()
        assert field == "black"
        assert self.REFUSAL in told
        game(self.bob, self.anna, minute=60, rated=False)

    def test_the_form_says_it_at_the_field(self, staff):
        page = staff.post(
            admin_page(Game, "add"),
            game_form(self.anna, self.bob, started_at_1="00:26:00", ended_at_1="00:30:00"),
        )
        assert page.status_code == 200
        ((field, (told,)),) = page.context["adminform"].form.errors.items()
        assert field == "white"
        assert self.REFUSAL in told

    def test_a_file_is_refused_line_by_line(self):
        file = (
            "external_id,white,black,time_control,rated,result,termination,started_at,ended_at\n"
            f"a,{self.anna.username},{self.bob.username},180+2,1,1-0,normal,2026-03-01T01:00:00Z,2026-03-01T01:05:00Z\n"
            f"b,{self.anna.username},{self.bob.username},180+2,0,1-0,normal,2026-03-01T01:00:00Z,2026-03-01T01:05:00Z\n"
            f"c,{self.anna.username},{self.bob.username},180+2,1,1-0,normal,2026-03-01T00:20:00Z,2026-03-01T01:05:00Z\n"
        )
        refused = []
        done = import_games(
            rows=read_games_csv(BytesIO(file.encode())),
            source="games.csv",
            sha256="0" * 64,
            at=timezone.now(),
            on_refused=refused.append,
        )
        assert (done.stored, done.refused) == (2, 1)
        (problem,) = refused
        assert (problem.line, problem.faults[0].field) == (2, "white")
        account = f"the account of {self.anna.username} is closed for rated play from 1 Mar 2026, 00:25 UTC"
        assert problem.reason == account

    def test_many_at_once_are_refused(self):
        facts = {"time_control": control("180+2"), "result": "1-0", "started_at": at(60), "ended_at": at(65)}
        with pytest.raises(ValidationError, match="is closed for rated play"), deferred():
            Game.objects.bulk_create([Game(white=self.anna, black=self.bob, **facts)])

    def test_its_games_are_not_reinstated_one_by_one(self, played):
        with pytest.raises(ValidationError, match="is closed for rated play"):
            reinstate_games(games=[played[3][2]], by=None, reason="sorry")

    def test_a_game_of_it_that_lacked_membership_is_not_offered_to_be_rated(self):
        span = (START, None)
        friendly = game(self.anna, self.bob, minute=60, rated=False, unrated_reason="")
        Game.objects.filter(pk=friendly.pk).update(unrated_reason="")
        change_spans(member=self.bob, spans=[])
        Game.objects.filter(pk=friendly.pk).update(
            unrated_reason="Black was not a full member when the game started (RBB 2.1)"
        )
        done = change_spans(member=self.bob, spans=[span])
        assert friendly not in done.rated
        assert friendly not in Game.objects.covered()
        audit(only=["games-kept-unrated"])
        assert not AuditFinding.objects.filter(is_there=True).exists()

    def test_the_page_of_an_unrated_game_says_why(self, client):
        friendly = game(self.anna, self.bob, minute=60, rated=False)
        text = words(client.get(friendly.get_absolute_url()))
        assert "Anna Toth's account was closed for rated play from 1 Mar 2026, 00:25 UTC." in text

    def test_the_audit_finds_a_rated_game_of_it_that_no_check_has_seen(self):
        closure = AccountClosure.objects.get()
        late = game(self.anna, self.bob, minute=60, rated=False)
        with deferred():
            Game.objects.filter(pk=late.pk).update(rated=True)
        audit(only=["games-of-closed-accounts"])
        finding = AuditFinding.objects.get(is_there=True)
        assert (finding.key, finding.mends["kind"]) == (f"game {late.pk}", "void-games")
        assert f"the account of {closure.member} was closed then" in finding.text % finding.words
        decide_at_once(Proposal(kind=kind_of("void-games"), parameters=finding.mends["parameters"]))
        audit(only=["games-of-closed-accounts"])
        assert not AuditFinding.objects.filter(is_there=True).exists()
