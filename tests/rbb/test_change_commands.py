"""close_account, show_change and undo_change: the decisions of the office from the command line."""

import pytest

from members.models import AccountClosure
from ratings.office.models import ChangeSet
from ratings.rbb.models import Game
from tests.arena import at, game, points, projections, rated
from tests.commands import run

pytestmark = pytest.mark.django_db

CLOSE = ("--since", "2026-03-01", "--category", "fair-play", "--note", "engine", "--reason", "Case 7")


@pytest.fixture
def played():
    """Anna beats Bob and Carl; nobody else has played."""
    anna, bob, carl = (rated(1700, minute=-20) for _ in range(3))
    return anna, bob, carl, [game(anna, bob, minute=10), game(anna, carl, minute=20)]


def void():
    return list(Game.objects.filter(voided_at__isnull=False).order_by("pk"))


def test_an_account_is_closed_with_its_games_shown_and_taken_back(played):
    anna, bob, _carl, games = played
    before = projections()
    closed = run("close_account", anna.username, *CLOSE, "--from", "2026-03-01")
    assert (closed.code, closed.err) == (0, "")
    closure, change_set = AccountClosure.objects.get(), ChangeSet.objects.get()
    assert closed.out == (
        f"Change set #{change_set.pk} Close an account: {anna.username}\n"
        f"Undo with: manage.py undo_change {change_set.pk}\n"
        f"The account of {anna} is closed from 1 Mar 2026, 00:00 UTC: 2 void games, 3 rating changes.\n"
    )
    assert (closure.member, closure.closed_from, closure.note) == (anna, at(0), "engine")
    assert (change_set.staff_note, change_set.public_reason) == ("Case 7", "fair-play")
    assert (void(), points(anna)) == (games, 1700)

    shown = run("show_change", change_set.pk)
    assert shown.out.startswith(
        f"Change set #{change_set.pk} Close an account: {anna.username} (close-account)\n"
    )
    for told in (
        "State: applied\n",
        "Note for staff: Case 7\n",
        "Reason shown to members: Fair play\n",
        "Ratings changed: 3\n",
        f"  {anna}: closed for rated play from 1 Mar 2026: Fair play\n",
        f"  {games[0]}, 1 Mar 2026, 00:10 UTC: void\n",
        f"  {bob}, Blitz: 1690.00 → 1700.00\n",
    ):
        assert told in shown.out

    looked = run("undo_change", change_set.pk, "--dry-run", "--reason", "appeal")
    assert f"  {bob}, Blitz: 1700.00 → 1690.00\n" in looked.out
    assert looked.out.endswith(f"Change set {change_set.pk} would be undone: 3 rating changes.\n")
    assert (void(), ChangeSet.objects.count()) == (games, 1)

    undone = run("undo_change", change_set.pk, "--reason", "appeal")
    assert undone.out == (
        f"Change set #{change_set.pk + 1} Reopen an account: {anna.username}\n"
        f"Change set {change_set.pk} was undone: 3 rating changes.\n"
    )
    assert (void(), projections()) == ([], before)
    assert f"Undone by change set {change_set.pk + 1}." in run("show_change", change_set.pk).out
    again = run("undo_change", change_set.pk)
    assert (again.code, again.err) == (
        1,
        f"{change_set.for_staff} was already reversed by #{change_set.pk + 1}.",
    )


def test_a_dry_run_prints_the_effect_and_changes_nothing(played):
    anna, bob, _carl, games = played
    before = projections()
    looked = run("close_account", anna.username, *CLOSE, "--from", "2026-03-01", "--dry-run")
    assert f"  {games[1]}, 1 Mar 2026, 00:20 UTC: void\n" in looked.out
    assert f"  {bob}, Blitz: 1690.00 → 1700.00\n" in looked.out
    assert looked.out.endswith(
        f"The account of {anna} would be closed from 1 Mar 2026, 00:00 UTC: 2 void games, 3 rating changes.\n"
    )
    assert (projections(), void(), ChangeSet.objects.count()) == (before, [], 0)


def test_the_account_is_closed_from_now_on_whatever_becomes_of_the_games(played):
    anna, bob, carl, games = played
    run("close_account", anna.username, *CLOSE, "--opponent", carl.username)
    assert void() == games[1:]
    run("close_account", carl.username, *CLOSE, "--keep-games", "--until", "2126-01-01")
    assert void() == games[1:]
    run("close_account", bob.username, *CLOSE)
    assert void() == games
    of_anna, of_carl, of_bob = AccountClosure.objects.order_by("pk")
    assert min(of_anna.closed_from, of_carl.closed_from, of_bob.closed_from) > at(20)
    assert (of_carl.games_since, of_carl.closed_until.year) == (None, 2126)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("nobody", *CLOSE), "There’s no member called “nobody”."),
        (("{anna}", *CLOSE, "--opponent", "x"), "No members have these usernames: x."),
        (("{anna}", *CLOSE, "--until", "2026-02-01"), "Choose a time after the closure."),
        (("{anna}", *CLOSE, "--from", "2026-02-01"), "Choose a day no later than the closure."),
    ],
)
def test_what_can_not_be_done_is_one_line_and_nothing_is_done(played, arguments, told):
    done = run("close_account", *(one.format(anna=played[0].username) for one in arguments))
    assert (done.code, done.err) == (1, told)
    assert not ChangeSet.objects.exists()


def test_a_command_waits_for_the_second_person_whom_the_office_wants(played, settings):
    settings.SECOND_PERSON_KINDS = ["close-account"]
    done = run("close_account", played[0].username, *CLOSE)
    waiting = ChangeSet.objects.get()
    assert (done.code, void()) == (1, [])
    assert done.err == (f"Nothing has changed yet. Another person has to confirm change set {waiting.pk}.")
    shown = run("show_change", waiting.pk).out
    assert "State: waiting for a second person\n" in shown
    assert f"  {played[1]}, Blitz: 1690.00 → 1700.00\n" in shown
    assert "wasn’t applied" in run("undo_change", waiting.pk).err


@pytest.mark.parametrize("command", ["show_change", "undo_change"])
def test_a_change_set_that_is_not_there_is_named(command):
    assert run(command, 4711)[::2] == (1, "There’s no change set 4711.")


def test_what_nothing_takes_back_is_said(played):
    stored = ChangeSet.objects.create(kind="publish-lists", state="refused", proposed_at=at(0))
    done = run("undo_change", stored.pk)
    assert done.err == f"Change set {stored.pk} wasn’t applied, so there’s nothing to undo."
    ChangeSet.objects.filter(pk=stored.pk).update(state="applied", applied_at=at(1))
    assert run("undo_change", stored.pk).err == f"Change set {stored.pk} can’t be undone."


@pytest.mark.needs("desk")
def test_a_username_that_was_merged_leads_to_the_account_that_stays_and_says_so(played):
    anna, bob, carl, _games = played
    merged = run("merge_members", anna.username, bob.username)
    change_set = ChangeSet.objects.latest("pk")
    assert merged.out.startswith(
        f"Change set #{change_set.pk} Merge two accounts of one person: "
        f"{bob.username} → {anna.username}\n"
        f"Undo with: manage.py undo_change {change_set.pk}\n"
    )
    leads = f"“{bob.username}” was merged into “{anna.username}”.\n"
    assert run("close_account", bob.username, *CLOSE, "--dry-run").out.startswith(leads)
    assert run("erase_member", bob.username, "--dry-run").out.startswith(leads)
    assert run("export_changes", "--username", bob.username).err == leads
    named = run("close_account", carl.username, *CLOSE, "--opponent", bob.username)
    assert named.err == f"“{bob.username}” now leads to “{anna.username}”. Enter that username instead."
    again = run("merge_members", carl.username, bob.username, "--dry-run")
    assert again.out.startswith(leads)
    assert run("undo_change", change_set.pk, "--dry-run").code == 0
