"""The demo arena, and the way into its admin."""

from datetime import timedelta
from random import Random
from unittest.mock import patch

import chess
import pytest
from django.contrib.auth import get_user_model
from django.test import TestCase, override_settings
from django.utils import timezone

from members.models import AccountClosure, FullMembership, Member
from ratings.fide.models import Announcement, Determination, FideList, FidePlayer, FirstRating
from ratings.fide.services.players import likely_players, without_fide_id
from ratings.formats.movetext import play
from ratings.office.audit import audit
from ratings.office.models import AuditFinding, ChangeSet
from ratings.otb.explanation import explain as explain_participant
from ratings.otb.models import OtbList, Tournament
from ratings.otb.services.rating import as_rated
from ratings.rbb.demo import _TERMINATIONS, GUEST, LENGTH
from ratings.rbb.demo_moves import moves_for
from ratings.rbb.explanation import explain
from ratings.rbb.ledger.replay import replay
from ratings.rbb.management.commands import load_demo
from ratings.rbb.models import ArenaEvent, Game, OpeningRating, Rating, RatingChange, RatingList
from ratings.rules.rbb.rating import Reason
from ratings.rules.rbb.terminations import Termination
from ratings.rules.time_controls import Category
from tests.arena import member
from tests.commands import run
from tests.equations import check_explanation
from tests.rooms import of_rooms

pytestmark = pytest.mark.long


@override_settings(OTB_REGULATIONS_2024_SINCE=None)
class TheDemo(TestCase):
    """Loaded once for all of these."""

    @classmethod
    def setUpTestData(cls):
        cls.done = run("load_demo")

    def test_it_says_what_it_made_and_refuses_nothing(self):
        assert self.done.code == 0
        assert self.done.err == ""
        assert self.done.out == (
            f"{Member.objects.count()} members, {Game.objects.count()} games "
            f"({Game.objects.filter(rated=True).count()} rated), {Game.objects.count()} stored.\n"
        )

    def test_it_has_three_hundred_members_and_thousands_of_games_in_all_categories(self):
        assert Member.objects.count() >= 290
        assert Game.objects.count() >= 3_000
        assert Game.objects.filter(rated=False).count() >= 30
        for category in Category:
            assert Game.objects.counting().filter(time_control__category=category).count() >= 300
            assert Rating.objects.filter(category=category, rating__isnull=False).count() >= 100

    def test_it_has_beginners_in_both_stages_of_the_first_rating(self):
        unrated = Rating.objects.filter(rating=None)
        assert unrated.filter(games=0).exists()
        assert unrated.filter(games__gt=0, games__lt=5).exists()
        assert RatingChange.objects.filter(reason=Reason.FIRST_RATING).exists()
        assert RatingChange.objects.filter(k=40).exists()

    def test_its_games_look_true(self):
        # Three years of them until now, more in the last than in the first; nobody has many games more with
        # one colour than with the other.
        ended = Game.objects.order_by("ended_at").values_list("ended_at", flat=True)
        assert (ended.last() - ended.first()).days >= 1_090
        assert timezone.now() - ended.last() < timedelta(hours=12)
        year, begin = timedelta(days=365), ended.last() - LENGTH
        assert Game.objects.filter(ended_at__gte=ended.last() - year).count() > 1.3 * (
            Game.objects.filter(ended_at__lt=begin + year).count()
        )
        for who in (GUEST, "hans.tiefenbach"):
            whites, blacks = (
                Game.objects.filter(white__username=who),
                Game.objects.filter(black__username=who),
            )
            assert abs(whites.count() - blacks.count()) <= 10
        draws = Game.objects.filter(result="1/2-1/2").values_list("termination", flat=True).distinct()
        assert {Termination.RESIGNATION, Termination.CHECKMATE, Termination.TIME}.isdisjoint(draws)
        gone = Game.objects.filter(termination__in=(Termination.WHITE_GONE, Termination.BLACK_GONE))
        assert {(one.termination, one.result) for one in gone} == {
            (Termination.WHITE_GONE, "0-1"),
            (Termination.BLACK_GONE, "1-0"),
        }

    def test_its_games_have_moves_and_clocks_that_lead_to_their_ends(self):
        for played in Game.objects.order_by("?")[:100]:
            moves = play(played.pgn)
            assert (moves.plies, moves.result) == (played.plies, played.result)
            assert played.pgn.count("[%clk ") == played.plies
            if played.termination in (Termination.CHECKMATE, Termination.STALEMATE):
                assert (moves.last.ending, moves.last.result) == (played.termination, played.result)

    def test_its_last_day_has_a_cup_in_which_eight_play_each_other(self):
        cup = ArenaEvent.objects.get()
        assert cup.name.endswith(f" Cup {(timezone.now() - timedelta(hours=6)).year}")
        assert cup.games.count() == 28
        assert set(cup.games.values_list("round", flat=True)) == set("1234567")

    def test_its_register_shows_what_an_office_decides(self):
        decided = list(ChangeSet.objects.filter(state=ChangeSet.State.APPLIED).values_list("kind", flat=True))
        for kind in ("close-account", "correct-game", "merge-members", "revise-lists"):
            assert kind in decided, kind
        # None of them cancels another, and no profile begins with a list of them.
        assert ChangeSet.objects.in_force().count() == len(decided)
        moved = ChangeSet.objects.filter(kind="merge-members").get().moved
        assert 1 <= moved <= 20
        cheater = AccountClosure.objects.get(category=AccountClosure.Category.FAIR_PLAY)
        assert Game.objects.filter(voided_at=cheater.decided_at).count() >= 5

    def test_exactly_one_member_fell_through_the_floor(self):
        lost = RatingChange.objects.filter(reason=Reason.LOST_UNDER_FLOOR)
        assert lost.values("member").distinct().count() == 1

    def test_its_ledger_is_what_the_inputs_give(self):
        assert replay(check=True).differences == 0

    def test_the_audit_finds_only_the_first_ratings_that_wait_in_it(self):
        """One member’s FIDE ID came late, so that the desk has something to show."""
        audit()
        found = AuditFinding.objects.values_list("check_name", "key")
        (who,) = {key.split()[1] for _name, key in found}
        assert set(found) == {
            ("first-ratings-waiting", f"member {who} {category.slug}") for category in Category
        }

    def test_it_has_the_lists_of_a_year(self):
        first = RatingList.objects.filter(revision=1)
        assert first.count() == 12 * 3
        this_month = timezone.now().date().replace(day=1)
        assert first.get(category=Category.BLITZ, month=this_month).members >= 100
        assert RatingList.objects.filter(revision=2, month=this_month).exists()

    def test_it_has_two_fide_lists_first_ratings_from_one_and_an_announced_month(self):
        assert FideList.objects.count() == 2
        assert FidePlayer.objects.count() >= 500
        # Of six newcomers three are rated over the board (RBB 3.4), the others begin unrated (3.5).
        assert Determination.objects.count() == 6
        assert FirstRating.objects.values("opening__member").distinct().count() == 4
        assert Announcement.objects.get().count >= 10
        guest = Member.objects.get(username=GUEST)
        assert FidePlayer.objects.get(pk=guest.fide_id).name == guest.name
        assert sum(bool(likely_players(one)) for one in without_fide_id()) >= 50

    def test_8_3_3_its_fide_lists_have_the_k_of_2024(self):
        listed = FidePlayer.objects.exclude(standard_rating=None)
        of_adults = listed.filter(birth_year__lt=2000).values_list("standard_rating", "standard_k")
        assert {k for rating, k in of_adults if rating >= 2400} == {10}
        assert {k for rating, k in of_adults if 1600 <= rating < 2375} == {20}
        assert {k for rating, k in of_adults if rating < 1525} == {40}

    def test_1_1_it_has_tournaments_and_lists_of_each_chapter(self):
        chapters = Tournament.objects.filter(status=Tournament.Status.RATED).order_by("pk")
        assert list(chapters.values_list("chapter", flat=True)) == [1, 1, 1, 1, 2, 3, 1, 2, 3]
        assert set(OtbList.objects.published().values_list("chapter", flat=True)) == {1, 2, 3}
        # Each chapter's list is that of this month.
        today = timezone.now().date()
        for chapter in (1, 2, 3):
            assert OtbList.objects.filter(chapter=chapter).latest("list_day").list_day == today.replace(day=1)
        waiting = Tournament.objects.filter(status=Tournament.Status.RECEIVED, name="River Open")
        assert waiting.exists() == (today.day > 9)
        refusals = {
            one.tournament.name: [finding.finds.name for finding in one.refusals]
            for one in map(as_rated, Tournament.objects.exclude(report=None))
            if one.refusals
        }
        assert refusals == {"Lunch Break Cup": ["NO_CHAPTER"], "Lighthouse Open": ["CONTROL_UNKNOWN"]}

    def test_every_figure_that_an_explanation_shows_follows_from_those_beside_it(self):
        lines = RatingChange.objects.select_related("member", "opponent", "opening", "adjustment").in_order()
        games = lines.filter(reason=Reason.RATED)
        assert all(check_explanation(explain(line)) == 5 for line in games[: games.count() : 10])
        for line in lines.exclude(reason=Reason.RATED):
            check_explanation(explain(line))
        for tournament in Tournament.objects.exclude(report=None):
            rated = as_rated(tournament)
            for participant in rated.participants:
                check_explanation(explain_participant(rated, participant))

    def test_every_rule_book_has_its_part(self):
        for check in of_rooms("check_demo"):
            check()

    def test_a_second_time_nothing_is_done(self):
        before = Game.objects.count(), RatingChange.objects.count(), RatingList.objects.count()
        assert run("load_demo") == (0, "The database already has members. Nothing was changed.\n", "")
        assert (Game.objects.count(), RatingChange.objects.count(), RatingList.objects.count()) == before


@pytest.mark.parametrize("plies", [14, 60, 240])
@pytest.mark.parametrize(
    ("result", "termination"),
    [(result, Termination(word)) for result, words in _TERMINATIONS.items() for word in sorted({*words})],
)
def test_moves_of_the_demo_can_be_played_and_fit_how_the_game_ended(result, termination, plies):
    board = chess.Board()
    for move in moves_for(result, termination, plies, Random(plies)):
        board.push_san(move)
    assert board.is_checkmate() == (termination == Termination.CHECKMATE)
    assert board.is_stalemate() == (termination == Termination.STALEMATE)
    assert board.is_insufficient_material() == (termination == Termination.INSUFFICIENT_MATERIAL)
    assert board.is_repetition(3) == (termination == Termination.REPETITION)
    if result != "1/2-1/2":
        # Whoever has lost was to move.
        assert board.turn == (chess.WHITE if result == "0-1" else chess.BLACK)


@pytest.mark.django_db
@pytest.mark.parametrize("step", ["import_games", "publish"])
@pytest.mark.rendered
def test_a_demo_that_is_interrupted_leaves_an_empty_database(step):
    games = load_demo.demo.demo_games
    with (
        patch.object(load_demo, step, side_effect=KeyboardInterrupt),
        patch.object(load_demo.demo, "demo_games", lambda *given: list(games(*given))[:50]),
    ):
        done = run("load_demo")
    assert (done.code, done.err) == (130, "Interrupted. Nothing was stored.")
    for model in (Member, FullMembership, OpeningRating, Game, RatingChange, Rating, RatingList):
        assert not model.objects.exists()


@pytest.mark.django_db
def test_the_logins_are_made_and_renewed_with_fresh_passwords_that_work(client):
    who = member(GUEST)
    passwords = []
    for _ in range(2):
        done = run("demo_logins")
        assert done.code == 0
        for line, beginning in zip(
            done.out.strip().splitlines(),
            (
                "Staff log in at /admin/ as office with the password",
                f"A member logs in at /login/ as {GUEST} with the password",
            ),
            strict=True,
        ):
            said, _, password = line.rpartition(" ")
            assert said == beginning
            passwords.append(password)
    assert len(set(passwords)) == 4
    assert min(map(len, passwords)) >= 16
    *old, office, guest = passwords
    for password in old:
        assert client.post("/login/", {"username": "office", "password": password}).status_code == 200
    client.post("/login/", {"username": "office", "password": office})
    assert client.get("/admin/").status_code == 200
    client.post("/login/", {"username": GUEST, "password": guest})
    assert client.get("/my-ratings/")["Location"] == who.get_absolute_url()
    assert client.get("/admin/").status_code == 302
    assert get_user_model().objects.count() == 2


@pytest.mark.django_db
def test_without_the_demo_there_is_a_login_for_staff_alone():
    assert len(run("demo_logins").out.strip().splitlines()) == 1
    assert get_user_model().objects.count() == 1
