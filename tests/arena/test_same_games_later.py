"""Games that become the same, or cease to be, once they are stored: the order of facts doesn't matter."""

from itertools import permutations

import pytest

from members.former import Merge
from ratings.office.audit import check_of
from ratings.rbb.decisions.games import GAME_FIELDS
from ratings.rbb.decisions.inputs import parameters_of
from ratings.rbb.ledger.replay import replay
from ratings.rbb.merging import merge_members, unmerge_members
from ratings.rbb.models import Game, RatingChange
from ratings.rules.rbb.conditions import NOT_FULL
from tests.arena import at, game, member, opening, points, rated
from tests.commands import run
from tests.decisions import REASONS, decided, page_of, shown_on, undo

pytestmark = pytest.mark.django_db

WAITS = "possibly the same game as one that is stored"
NOW = at(60 * 24 * 60)


@pytest.fixture
def three():
    """Anna, who is also Bea, and Carl."""
    found = [member(name) for name in ("anna", "bea", "carl")]
    for who, rating in zip(found, (2000, 2000, 2000), strict=True):
        opening(who, rating)
    return found


def told(white, black="carl", **changes):
    return {
        "white": white,
        "black": black,
        "time_control": "180+2",
        "started_at": "2026-03-20T10:00:00Z",
        "ended_at": "2026-03-20T10:04:00Z",
        "result": "1-0",
        "termination": "resignation",
        **changes,
    }


def ledger():
    """The lines of games, and the games that wait for somebody to tell them apart."""
    assert replay(check=True).differences == 0
    assert list(check_of("games-stored-twice").find()) == []
    lines = RatingChange.objects.filter(game__isnull=False).order_by("member", "occurred_at")
    waiting = Game.objects.to_tell_apart().order_by("external_id").values_list("external_id", flat=True)
    return list(lines.values_list("member", "occurred_at", "before", "after")), list(waiting)


def labels(done):
    """What a decision has shown."""
    return [label for _section, _key, label, *_more in done.shown["facts"]]


def happens(api, steps, bea, anna):
    for step in steps:
        if step == "merge":
            merge_members(member=anna, other=bea, at=NOW)
        else:
            api.ask("PUT", f"games/{step}", told({"1": "anna", "2": "bea"}[step]), status=201)


@pytest.mark.parametrize("order", [("1", "2", "merge"), ("1", "merge", "2"), ("merge", "1", "2")])
def test_a_game_told_of_both_accounts_of_a_member_is_rated_once_whenever_they_are_merged(api, three, order):
    anna, bea, carl = three
    happens(api, order, bea, anna)
    assert ledger()[1] == ["arena/2"]
    first, second = Game.objects.order_by("external_id")
    assert (second.rated, second.unrated_reason, second.possibly_same) == (False, WAITS, first)
    assert (str(points(anna)), str(points(carl))) == ("2010.00", "1990.00")


@pytest.mark.parametrize("order", [("1", "2", "merge"), ("1", "merge", "2"), ("merge", "1", "2")])
def test_once_the_accounts_are_separate_again_nobody_is_asked(api, three, order):
    anna, bea, _carl = three
    happens(api, order, bea, anna)
    unmerge_members(merge=Merge.objects.get(other=bea), at=NOW)
    assert ledger()[1] == []
    # Carl has lost to Anna before, so 20 × 0.49 = 9.80 (RBB 4.2).
    assert str(points(bea)) == "2009.80"
    assert set(Game.objects.values_list("rated", "possibly_same")) == {(True, None)}
    # Merged once more, somebody has to say again.
    merge_members(member=anna, other=bea, at=NOW)
    assert ledger()[1] == ["arena/2"]


def test_a_merge_says_which_games_may_be_the_same(api, three):
    anna, bea, _carl = three
    happens(api, ("1", "2"), bea, anna)
    done = decided("merge-members", keep=[str(anna.pk)], other=["bea"])
    first, second = Game.objects.order_by("external_id")
    told = (
        f"{second} may be the same game as game {first.pk}, so it won’t be rated until you say whether it is."
    )
    assert told in labels(done)
    undo(done)
    assert not Game.objects.to_tell_apart().exists()


def test_a_game_told_of_a_merged_account_by_its_address_is_there_already(api, other, three):
    anna, bea, _carl = three
    url = "https://arena.example/AbCdEfGh"
    api.ask("PUT", "games/1", told("bea", url=url), status=201)
    merge_members(member=anna, other=bea, at=NOW)
    other.ask("PUT", "games/7", told("bea", url=url), status=200)
    other.ask("PUT", "games/7", told("anna", url=url), status=200)
    assert Game.objects.count() == 1


def test_a_game_of_a_renamed_member_is_known_by_its_address(api, other, three):
    url = "https://arena.example/AbCdEfGh"
    api.ask("PUT", "games/1", told("bea", url=url), status=201)
    three[1].username = "beatrix"
    three[1].save()
    other.ask("PUT", "games/7", told("bea", url=url), status=200)
    assert Game.objects.count() == 1


CLOSED = {
    "closed_from": ["2026-03-20T00:00"],
    "category": ["fair-play"],
    "games": ["keep"],
}


@pytest.mark.parametrize(
    "order",
    [one for one in permutations(("1", "2", "close", "reopen")) if one.index("close") < one.index("reopen")],
)
def test_a_game_told_twice_around_a_closure_is_rated_once_when_it_is_over(api, three, order):
    anna, _bea, carl = three
    closed = None
    for step in order:
        if step == "close":
            closed = decided("close-account", member=[str(carl.pk)], **CLOSED)
        elif step == "reopen":
            undo(closed)
        else:
            api.ask("PUT", f"games/{step}", told("anna"), status=201)
    lines, waiting = ledger()
    assert (len(lines), len(waiting)) == (2, 1)
    assert str(points(anna)) == "2010.00"


def test_games_that_lacked_full_membership_are_compared_when_they_are_rated(api):
    anna, bert = rated("2000.00"), rated("2000.00")
    moments = {"started_at": at(5), "ended_at": at(10)}
    for _twice in range(2):
        game(anna, bert, rated=False, unrated_reason=NOT_FULL[1], **moments)
    first, second = Game.objects.order_by("pk")
    done = decided("rate-games", game=[str(first.pk), str(second.pk)])
    assert list(Game.objects.to_tell_apart()) == [second]
    assert str(points(anna)) == "2010.00"
    told = (
        f"{second} may be the same game as game {first.pk}, so it won’t be rated until you say whether it is."
    )
    assert told in labels(done)
    undo(done)
    assert set(Game.objects.values_list("rated", "unrated_reason")) == {(False, NOT_FULL[1])}


def test_games_rated_because_a_file_says_so_are_compared(api, three, tmp_path):
    api.ask("PUT", "games/1", told("anna"), status=201)
    text = "\n".join(
        f'[{name} "{value}"]'
        for name, value in {
            "Event": "Live Chess",
            "Site": "https://other.example/x1",
            "UTCDate": "2026.03.20",
            "UTCTime": "10:00:00",
            "White": "anna",
            "Black": "carl",
            "Result": "1-0",
            "TimeControl": "180+2",
            "EndTime": "10:04:00 UTC",
        }.items()
    )
    (tmp_path / "a.pgn").write_text(f"{text}\n\n1. e4 e5 2. Nf3 1-0\n")
    run("import_games", tmp_path / "a.pgn")
    run("import_games", tmp_path / "a.pgn", "--rate-unmarked")
    assert len(ledger()[1]) == 1


def corrected(one, **values):
    parameters = {**parameters_of(Game.objects.get(pk=one.pk), GAME_FIELDS), "game": [str(one.pk)]}
    return decided("correct-game", **{**parameters, **values})


def test_a_game_that_a_correction_makes_the_same_is_asked_about(api, three):
    api.ask("PUT", "games/1", told("anna"), status=201)
    api.ask("PUT", "games/2", told("anna", started_at="2026-03-20T10:00:30Z"), status=201)
    first, second = Game.objects.order_by("pk")
    done = corrected(second, started_at=["2026-03-20T10:00:00Z"])
    second.refresh_from_db()
    assert (second.rated, second.possibly_same) == (False, first)
    assert ledger()[1] == ["arena/2"]
    undo(done)
    second.refresh_from_db()
    assert (second.rated, second.possibly_same) == (True, None)
    corrected(second, started_at=["2026-03-20T10:00:00Z"])
    assert ledger()[1] == ["arena/2"]


def test_a_correction_of_the_first_report_asks_about_neither_again(api, three):
    api.ask("PUT", "games/1", told("anna"), status=201)
    api.ask("PUT", "games/2", told("anna"), status=201)
    first, second = Game.objects.order_by("pk")
    corrected(first, plies=["30"])
    corrected(first, result=["0-1"])
    assert ledger()[1] == ["arena/2"]
    decided("other-game", game=[str(second.pk)])
    corrected(first, result=["1-0"])
    assert ledger()[1] == []


def test_when_the_first_report_is_deleted_of_two_others_one_is_rated(api, three):
    for number in (1, 2, 3):
        api.ask("PUT", f"games/{number}", told("anna"), status=201)
    first, second, third = Game.objects.order_by("pk")
    first.delete()
    decided("other-game", game=[str(second.pk), str(third.pk)])
    third.refresh_from_db()
    assert (third.rated, third.possibly_same) == (False, second)
    assert ledger()[1] == ["arena/3"]


def test_a_second_report_that_is_void_is_named_when_its_first_is_deleted(api, three):
    anna, *_others = three
    for number in (1, 2):
        api.ask("PUT", f"games/{number}", told("anna"), status=201)
    first, second = Game.objects.order_by("pk")
    decided("same-game", game=[str(second.pk)])
    gone = decided("delete-games", game=[str(first.pk)])
    assert (
        f"Game {second.pk} is void as a second report of game {first.pk}, which is being deleted. "
        f"Reinstate and rate it if it was played."
    ) in labels(gone)
    again = decided("reinstate-games", game=[str(second.pk)])
    assert again.shown["facts"][1][3:] == ["", "unrated"]
    decided("other-game", game=[str(second.pk)])
    assert str(points(anna)) == "2010.00"


def test_a_first_report_that_changed_since_it_was_shown_is_not_settled(api, three, staff):
    for number in (1, 2):
        api.ask("PUT", f"games/{number}", told("anna"), status=201)
    first, second = Game.objects.order_by("pk")
    parameters = {"game": [str(second.pk)]}
    page = staff.get(page_of("same-game"), parameters)
    corrected(first, result=["0-1"])
    answer = staff.post(page_of("same-game"), {**parameters, "shown": shown_on(page), **REASONS})
    assert 'id="differs"' in answer.content.decode()
    assert list(Game.objects.to_tell_apart()) == [second]
