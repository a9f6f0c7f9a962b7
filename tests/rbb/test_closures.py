"""Fair play: accounts closed for rated play, their games, and reopening."""

from io import BytesIO
from itertools import permutations

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from members.models import AccountClosure
from ratings.formats.games import read_games_csv
from ratings.office.audit import audit
from ratings.office.deciding import Proposal, decide_at_once, preview
from ratings.office.decision_types import kind_of
from ratings.office.models import AuditFinding, OutboxEntry
from ratings.rbb.decisions.games import GAME_FIELDS
from ratings.rbb.decisions.inputs import parameters_of
from ratings.rbb.ledger.corrections import reinstate_games, void_games
from ratings.rbb.ledger.game_files import import_games
from ratings.rbb.ledger.replay import deferred, replay
from ratings.rbb.memberships import change_spans
from ratings.rbb.models import Game, RatingChange
from ratings.rules.rbb.conditions import NOT_FULL
from tests.arena import START, at, control, game, points, projections
from tests.audits import mend
from tests.backoffice import admin_page, game_form
from tests.decisions import decided, undo
from tests.pages import words
from tests.rbb.closing import close, proposed, reopen, toth_has_played, void

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
            "1 game started after the closure, so it can’t be kept."
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
            ({"closed_until": "2026-03-01T00:25"}, "Choose a time after the closure."),
            ({"since": ""}, "Choose the day from which games are void."),
            ({"since": "2026-03-02"}, "Choose a day no later than the closure."),
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
        assert "Account closed at the member’s request" in text
        games[2].refresh_from_db()
        assert str(games[2].why_void) == "At the member’s request"

    def test_an_account_is_not_closed_twice_at_once(self, played):
        anna = played[0]
        close(anna)
        with pytest.raises(ValidationError, match="The account is already closed at that time: Toth, Anna"):
            close(anna, closed_from="2026-04-01T00:00")
        close(played[1], closed_from="2026-04-01T00:00", games="keep")


class TestReopening:
    def test_everything_is_as_it_was_to_the_byte(self, played):
        anna = played[0]
        before = projections(), list(Game.objects.order_by("pk").values())
        done = close(anna)
        undo(done)
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
        assert f"still doesn’t count: the account of {bob} is closed as well, from 1 Mar 2026" in told[0]
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

    def test_a_game_that_lacks_full_membership_by_now_is_unrated_for_that_and_named(self, played):
        anna, bob, _carl, games = played
        close(anna)
        change_spans(member=bob, spans=[(START, at(28))])
        closure = str(AccountClosure.objects.get().pk)
        proposal = Proposal(kind=kind_of("reopen-account"), parameters={"closure": [closure]})
        (told,) = (one.label for one in preview(proposal).warnings)
        assert "still doesn’t count: Black was not a full member when the game started (RBB 2.1)" in told
        reopen(anna)
        assert void() == set()
        games[2].refresh_from_db()
        assert (games[2].rated, games[2].unrated_reason) == (False, NOT_FULL[1])
        done = change_spans(member=bob, spans=[(START, None)])
        assert {one.pk for one in done.rated} == {one.pk for one in games[2:]}


def of_file(*games):
    """Import rows of id, White, Black and minute of the start."""
    rows = [
        f"{name},{white.username},{black.username},180+2,{rated},1-0,normal,"
        f"{at(minute):%Y-%m-%dT%H:%M:%SZ},{at(minute + 5):%Y-%m-%dT%H:%M:%SZ}\n"
        for name, white, black, minute, rated in games
    ]
    header = "external_id,white,black,time_control,rated,result,termination,started_at,ended_at\n"
    return import_games(
        rows=read_games_csv(BytesIO("".join([header, *rows]).encode())),
        source="games.csv",
        sha256="0" * 64,
        at=timezone.now(),
    )


def facts_of(games):
    """What the void games say, without who voided them and their keys."""
    return [(one.voided_at, one.void_reason, one.void_note) for one in games]


class TestAClosedAccount:
    """A game is void whenever it arrives, if it starts in the closure or the closure takes it out."""

    @pytest.fixture(autouse=True)
    def closed(self, played):
        """Closed from minute 25 on, with the games against Carl since minute 0."""
        self.anna, self.bob, self.carl, self.games = played
        close(self.anna, games="opponents", opponents=self.carl.username)
        self.closure = AccountClosure.objects.get()
        self.of_closure = [(self.closure.decided_at, "fair-play", "engine")]

    @pytest.mark.parametrize(
        ("opponent", "minute", "is_void"),
        [("carl", 10, True), ("carl", 60, True), ("bob", 10, False), ("bob", 60, True)],
    )
    def test_a_game_that_is_saved_later_is_void_like_those_that_were_there(self, opponent, minute, is_void):
        before = points(self.anna)
        late = game(self.anna, getattr(self, opponent), minute=minute)
        assert facts_of([Game.objects.get(pk=late.pk)]) == (self.of_closure if is_void else [(None, "", "")])
        assert (points(self.anna) == before) is is_void
        assert replay(check=True).differences == 0
        reopen(self.anna)
        assert Game.objects.get(pk=late.pk).counts
        assert void() == set()

    def test_followers_are_told_of_it(self):
        late = game(self.anna, self.carl, minute=10)
        assert OutboxEntry.objects.filter(event="game.voided", about=late.pk).count() == 1

    def test_a_game_of_a_file_is_void_and_the_others_count(self):
        done = of_file(
            ("a", self.bob, self.anna, 60, 1),
            ("b", self.anna, self.bob, 60, 0),
            ("c", self.anna, self.bob, 15, 1),
            ("d", self.anna, self.carl, 15, 1),
        )
        assert (done.stored, done.refused, done.rated, done.void) == (4, 0, 1, {"fair-play": 2})
        games = {one.external_id: one for one in Game.objects.filter(batch=done.batch)}
        assert facts_of([games["a"], games["d"]]) == 2 * self.of_closure
        assert games["c"].counts
        told = OutboxEntry.objects.filter(event="game.voided", about__in=(games["a"].pk, games["d"].pk))
        assert told.count() == 2
        assert replay(check=True).differences == 0

    def test_the_office_is_told_when_it_enters_one(self, staff):
        page = staff.post(
            admin_page(Game, "add"),
            game_form(self.anna, self.bob, started_at_1="00:26:00", ended_at_1="00:30:00"),
            follow=True,
        )
        assert "The game is void and doesn’t count: Fair play." in words(page)
        assert facts_of([Game.objects.latest("pk")]) == self.of_closure

    def test_many_at_once_are_void(self):
        facts = {"time_control": control("180+2"), "result": "1-0", "started_at": at(60), "ended_at": at(65)}
        with deferred():
            (late,) = Game.objects.bulk_create([Game(white=self.anna, black=self.bob, **facts)])
        assert facts_of([Game.objects.get(pk=late.pk)]) == self.of_closure

    def test_a_game_that_starts_void_ends_void(self):
        going = game(self.anna, self.bob, "", minute=60, ended_at=None)
        going = Game.objects.get(pk=going.pk)
        going.result, going.ended_at = "1-0", at(65)
        going.save()
        assert facts_of([Game.objects.get(pk=going.pk)]) == self.of_closure

    def test_a_correction_moves_a_game_into_the_closure_and_out_again(self):
        def corrected(one, opponent):
            asked = parameters_of(one, GAME_FIELDS) | {"black": [str(opponent.pk)], "game": [str(one.pk)]}
            proposal = Proposal(kind=kind_of("correct-game"), parameters=asked)
            told = [fact.label for fact in preview(proposal).warnings]
            decide_at_once(proposal)
            return told, Game.objects.get(pk=one.pk)

        first = self.games[0]
        before = projections()
        told, moved = corrected(first, self.carl)
        assert told == ["The game is void and doesn’t count: Fair play."]
        assert facts_of([moved]) == self.of_closure
        assert moved.pk not in RatingChange.objects.values_list("game", flat=True)
        _told, back = corrected(moved, self.bob)
        assert back.counts
        assert projections() == before
        assert replay(check=True).differences == 0

    def test_a_correction_from_one_closure_into_another_is_void_by_that(self):
        close(self.carl, games="keep", since="")
        late = game(self.anna, self.bob, minute=60)
        asked = parameters_of(late, GAME_FIELDS) | {"white": [str(self.carl.pk)], "game": [str(late.pk)]}
        decided("correct-game", **asked)
        of_carl = AccountClosure.objects.get(member=self.carl)
        assert Game.objects.get(pk=late.pk).voided_at == of_carl.decided_at
        reopen(self.carl)
        assert Game.objects.get(pk=late.pk).counts

    def test_its_games_are_not_reinstated_one_by_one(self):
        told = f"stays void while the account of {self.anna} is closed"
        with pytest.raises(ValidationError, match=told):
            reinstate_games(games=[self.games[1]], by=None, reason="sorry")

    def test_a_game_of_it_that_lacked_membership_is_void_once_that_is_there(self):
        change_spans(member=self.bob, spans=[])
        late = game(self.anna, self.bob, minute=60, rated=False, unrated_reason=NOT_FULL[1])
        done = change_spans(member=self.bob, spans=[(START, None)], rate=[])
        assert done.rated == []
        decided("rate-games", game=[str(late.pk)])
        late.refresh_from_db()
        assert late.rated
        assert facts_of([late]) == self.of_closure
        reopen(self.anna)
        assert Game.objects.get(pk=late.pk).counts

    def test_a_game_that_another_closure_covers_too_is_handed_over(self):
        close(self.carl)
        late = game(self.anna, self.carl, minute=10)
        reopen(self.anna)
        assert facts_of([Game.objects.get(pk=late.pk)]) == [
            (AccountClosure.objects.get().decided_at, "fair-play", "engine")
        ]
        reopen(self.carl)
        assert Game.objects.get(pk=late.pk).counts

    @pytest.mark.parametrize("order", list(permutations(range(3))), ids=str)
    def test_whether_games_arrive_before_or_after_closures_changes_nothing(self, played, order):
        """Two closures and games of both; the last to be there is what the others find."""
        reopen(self.anna)
        acts = [
            lambda: close(self.anna, games="opponents", opponents=self.carl.username),
            lambda: close(self.carl, closed_from="2026-03-01T00:50"),
            lambda: of_file(
                ("a", self.anna, self.carl, 12, 1),
                ("b", self.bob, self.anna, 13, 1),
                ("c", self.carl, self.bob, 52, 1),
            ),
        ]
        for number in order:
            acts[number]()
        counting = Game.objects.counting().filter(external_id__isnull=False)
        assert list(counting.values_list("external_id", flat=True)) == ["b"]
        assert void() >= {self.games[2].pk}
        reopen(self.carl)
        assert set(Game.objects.counting().values_list("external_id", flat=True)) == {None, "b", "c"}
        assert replay(check=True).differences == 0

    def test_the_page_of_an_unrated_game_says_why(self, client):
        friendly = game(self.anna, self.bob, minute=60, rated=False)
        text = words(client.get(friendly.get_absolute_url()))
        assert "Anna Toth’s account was closed for rated play from 1 Mar 2026, 00:25 UTC." in text

    @pytest.mark.parametrize(("opponent", "minute"), [("bob", 60), ("carl", 10)])
    def test_the_audit_finds_a_game_that_counts_as_earlier_versions_left_it(self, opponent, minute):
        late = game(self.anna, getattr(self, opponent), minute=minute, rated=False)
        with deferred():
            Game.objects.filter(pk=late.pk).update(rated=True)
        assert late.pk in RatingChange.objects.values_list("game", flat=True)
        audit(only=["games-of-closed-accounts"])
        finding = AuditFinding.objects.get(is_there=True)
        assert (finding.key, finding.mends["kind"]) == (f"game {late.pk}", "void-games")
        told = f"counts, but should be void because {self.anna}’s account was closed."
        assert (finding.text % finding.words).endswith(told)
        mend()
        assert facts_of([Game.objects.get(pk=late.pk)]) == self.of_closure
        audit(only=["games-of-closed-accounts"])
        assert not AuditFinding.objects.filter(is_there=True).exists()
        reopen(self.anna)
        assert Game.objects.get(pk=late.pk).counts
