"""The change feed: whoever follows it has the ledger as it is, whatever was corrected in between."""

from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from threading import Event

import pytest
from django.db import connection, connections, transaction
from django.test.utils import CaptureQueriesContext

from members.models import Member
from ratings.formats.games import GameRow
from ratings.office.deciding import Proposal, preview
from ratings.office.decision_types import kind_of
from ratings.office.models import OutboxEntry
from ratings.office.outbox import number_entries
from ratings.rbb.ledger.corrections import reinstate_games, void_games
from ratings.rbb.ledger.feed import Cursor, changes_after, is_news
from ratings.rbb.ledger.game_files import import_games
from ratings.rbb.ledger.replay import deferred, replay
from ratings.rbb.ledger.summaries import Cause
from ratings.rbb.lists.publishing import publish
from ratings.rbb.memberships import change_spans
from ratings.rbb.models import RatingChange, Recalculation
from ratings.rules.rbb.terminations import Termination
from ratings.rules.time_controls import Category, Control
from tests.arena import CONTROL, START, at, control, game, rated, taken_back
from tests.decisions import decided

pytestmark = pytest.mark.django_db

Events = OutboxEntry.Event


def told(after=None, **wanted):
    """All that is told behind a cursor."""
    return list(changes_after(after or Cursor(), until=number_entries(), **wanted))


def end():
    """The cursor of whoever has read everything."""
    return Cursor(number_entries(), None)


def brief(changes):
    """Who, from where to where, and whether the line is gone."""
    return [(one.member, one.before, one.after, one.gone) for one in changes]


def entries(event=Events.RATING_CHANGED):
    return OutboxEntry.objects.filter(event=event).order_by("pk")


class Follower:
    """Somebody who keeps the ledger up to date from the feed, some rows at a time."""

    def __init__(self, at_once):
        self.at_once = at_once
        self.cursor = Cursor()
        self.rows = []
        self.lines = {}

    def read(self):
        """Everything up to now, page by page."""
        until = number_entries()
        while page := list(
            islice(changes_after(self.cursor, until=until, at_once=self.at_once), self.at_once)
        ):
            self.cursor = page[-1].cursor
            self.rows += page
            for one in page:
                if one.gone:
                    self.lines.pop(one.line, None)
                else:
                    self.lines[one.line] = (one.member, one.category, one.before, one.after, one.change)

    def has_the_ledger(self):
        rows = RatingChange.objects.select_related("member")
        hundredths = [(one, [one.before, one.after, one.change]) for one in rows]
        return self.lines == {
            one.pk: (
                one.member.username,
                one.category,
                *(None if points is None else int(points * 100) for points in values),
            )
            for one, values in hundredths
        }


def imported(*games):
    """Rated games of a file: white, black and the minute of each."""
    rows = [
        GameRow(
            line=number,
            external_id=f"file/{number}/{minute}",
            white=white.username,
            black=black.username,
            control=Control.parse(notation),
            rated=True,
            result="1-0",
            termination=Termination.CHECKMATE,
            started_at=at(minute),
            ended_at=at(minute),
        )
        for number, (white, black, minute, notation) in enumerate(games, 2)
    ]
    return import_games(rows=rows, source="games.csv", sha256="", at=at(100_000))


def test_a_saved_game_is_told_by_one_entry_with_both_lines_white_first():
    anna, bob = rated(1600), rated(1600)
    before = end()
    played = game(anna, bob)
    white, black = told(before)
    entry = entries().last()
    assert brief([white, black]) == [
        (anna.username, 160000, 161000, False),
        (bob.username, 160000, 159000, False),
    ]
    assert white.told == black.told == ("", entry.position, entry.at, Cause.GAME, None)
    assert (white.opponent, white.change, white.line) == (bob.username, 1000, (2 << 50) + 2 * played.pk)
    assert not is_news(white.cursor._replace(mark=None))


def test_a_first_rating_is_told_as_a_fact_without_an_opponent():
    anna = rated(1600)
    (opened,) = told()
    assert brief([opened]) == [(anna.username, None, 160000, False)]
    assert (opened.told.cause, opened.opponent) == (Cause.FACTS, None)


def test_a_void_game_is_gone_and_later_lines_move_on_to_the_decision():
    anna, bob, carl = rated(1600), rated(1600), rated(1600)
    first, later = game(anna, bob, minute=10), game(anna, carl, minute=20)
    before = end()
    change_set = decided("void-games", game=[str(first.pk)])
    changes = told(before)
    assert {(one.told.cause, one.told.change_set) for one in changes} == {(Cause.DECISION, change_set.pk)}
    assert brief(changes) == [
        (anna.username, 160000, 161000, True),
        (bob.username, 160000, 159000, True),
        (anna.username, 160000, 161000, False),
        (carl.username, 160000, 159000, False),
    ]
    # Carl's line has moved too: the opponent was 1610 before, and no line is told where it was.
    assert not [one for one in told() if one.line // 2 * 2 == (2 << 50) + 2 * later.pk][2:]
    assert Recalculation.objects.latest("pk").entry == entries().last().pk


def test_a_game_that_goes_to_another_category_is_gone_there_before_it_is_told_here():
    played = game(rated(1600), rated(1600), notation="900+0")
    before = end()
    played.time_control = control("180+2")
    played.save()
    changes = told(before)
    assert [(one.line & 1, one.category, one.gone) for one in changes] == [
        (0, Category.RAPID, True),
        (0, Category.BLITZ, False),
        (1, Category.RAPID, True),
        (1, Category.BLITZ, False),
    ]
    assert [told(one.cursor) for one in changes] == [changes[number:] for number in range(1, 5)]


def test_an_import_is_one_entry_for_all_categories():
    anna, bob = rated(1600), rated(1600)
    before, number = end(), entries().count()
    imported((anna, bob, 10, "180+2"), (anna, bob, 20, "900+0"), (bob, anna, 30, "180+2"))
    changes = told(before)
    assert entries().count() == number + 1
    assert {one.told.cause for one in changes} == {Cause.IMPORT}
    assert [one.category for one in changes] == [2, 2, 1, 1, 2, 2]


def test_what_changes_nothing_is_not_told():
    first = game(rated(1600), rated(1600))
    replay()
    number = OutboxEntry.objects.count()
    replay()
    replay(check=True)
    first.save()
    with deferred():
        pass
    taken_back(lambda: game(rated(1600), rated(1700)))
    preview(Proposal(kind=kind_of("void-games"), parameters={"game": [str(first.pk)]}))
    assert OutboxEntry.objects.count() == number


def test_a_check_that_finds_something_tells_nothing_and_a_rebuild_tells_what_it_mends():
    game(rated(1600), rated(1600))
    line = RatingChange.objects.order_by("pk").last()
    RatingChange.objects.filter(pk=line.pk).update(change=0)
    before = end()
    assert replay(check=True).differences == 1
    assert told(before) == []
    replay()
    (mended,) = told(before)
    assert (mended.line, mended.change, mended.told.cause) == (line.pk, -1000, Cause.REBUILD)


def test_who_tells_of_a_line_is_no_part_of_what_a_replay_compares():
    game(rated(1600), rated(1600))
    RatingChange.objects.update(entry=0)
    assert replay(check=True).differences == 0
    assert replay().changes_written == 0


def test_lines_from_before_the_outbox_come_first_at_position_0():
    anna = rated(1600)
    game(anna, rated(1600), minute=10)
    RatingChange.objects.update(entry=0)
    OutboxEntry.objects.all().delete()
    game(anna, rated(1600), minute=20)
    changes = told()
    assert [one.told.position == 0 for one in changes] == [True] * 4 + [False] * 3
    assert changes[0].told == ("", 0, None, Cause.EARLIER, None)
    assert [one.line for one in changes[:4]] == sorted(one.line for one in changes[:4])
    assert told(Cursor(0, None)) == changes[4:]
    assert told(changes[1].cursor) == changes[2:]


def test_entries_that_became_visible_in_another_order_are_told_in_that_order():
    people = [rated(1600 + number) for number in range(6)]
    RatingChange.objects.update(entry=0)
    OutboxEntry.objects.all().delete()
    games = [game(*people[number : number + 2], minute=10) for number in (0, 2, 4)]
    for position, entry in zip((2, 3, 1), entries(), strict=True):
        entry.position = position
        entry.save()
    lines = [one.line >> 1 & 0xFFFF for one in told(Cursor(0, None))]
    assert lines == [one.pk & 0xFFFF for one in (games[2], games[2], games[0], games[0], games[1], games[1])]


@pytest.mark.parametrize("at_once", [1, 2, 3, 100])
def test_a_follower_has_the_ledger_whatever_happens_and_however_little_is_read_at_once(at_once):
    anna, bob, carl = rated(1600), rated(1700), rated(1650)
    beside = Follower(at_once)
    with deferred():
        together = [game(anna, bob, minute=minute) for minute in range(10, 60, 10)]
    beside.read()
    imported(*((carl, bob, minute, "180+2") for minute in range(100, 110)))
    void_games(games=together[1:3], by=None, reason="engine", at=at(900))
    beside.read()
    reinstate_games(games=together[1:3], by=None, reason="appeal")
    together[0].time_control = control("60+0")
    together[0].save()
    game(anna, carl, minute=35)
    beside.read()
    together[4].delete()
    with transaction.atomic():
        void_games(games=together[2:3], by=None, reason="engine", at=at(900))
        reinstate_games(games=together[2:3], by=None, reason="appeal")
        void_games(games=together[3:4], by=None, reason="engine", at=at(900))
    beside.read()
    assert beside.has_the_ledger()
    afterwards = Follower(at_once)
    afterwards.read()
    assert afterwards.has_the_ledger()
    assert afterwards.rows == told()
    assert replay(check=True).differences == 0


def test_what_is_told_of_a_member_or_a_category_is_that_part_of_everything():
    anna, bob, carl = rated(1600), rated(1700), rated(1650, Category.RAPID)
    first = game(anna, bob, minute=10)
    game(bob, carl, minute=20, notation="900+0")
    game(anna, carl, minute=30)
    void_games(games=[first], by=None, reason="engine", at=at(900))
    everything = told()
    assert [one.gone for one in everything].count(True) == 2
    for one in (anna, bob, carl):
        assert told(member=one.pk) == [row for row in everything if row.member_id == one.pk]
    for category in Category:
        assert told(category=category) == [row for row in everything if row.category == category]


def test_every_step_of_a_page_is_found_by_the_index_of_entries():
    game(rated(1600), rated(1600))
    entry = entries().last().pk
    lines = RatingChange.objects.filter(entry=entry, id__gt=5).order_by("entry", "id")[:3]
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_seqscan = off")
    plan = lines.explain()
    assert "change_of_entry" in plan
    assert "Sort" not in plan
    assert "TEMP B-TREE" not in plan


def test_void_games_published_lists_and_changed_members_are_told():
    anna, bob = rated(1600), rated(1700)
    played = game(anna, bob, minute=10)
    void_games(games=[played], by=None, reason="engine", at=at(900))
    reinstate_games(games=[played], by=None, reason="appeal")
    change_set = decided("void-games", game=[str(played.pk)])
    assert list(entries(Events.GAME_VOIDED).values_list("about", "change_set")) == [
        (played.pk, None),
        (played.pk, change_set.pk),
    ]
    month = {"category": Category.BLITZ, "month": at(60 * 24 * 31), "at": at(60 * 24 * 31)}
    first, _new = publish(**month)
    assert publish(**month) == (first, False)
    reinstate_games(games=[played], by=None, reason="appeal")
    revised, _new = publish(**month, revise=True)
    assert [one.about for one in entries(Events.LIST_PUBLISHED)] == [first.pk]
    assert [one.about for one in entries(Events.LIST_REVISED)] == [revised.pk]
    assert entries(Events.MEMBER_CHANGED).filter(about=anna.pk).count() == 1
    anna.name = "Anders, Anna"
    anna.save()
    change_spans(member=anna, spans=[(START, None), (at(-20), at(-10))])
    change_spans(member=anna, spans=[(START, None), (at(-20), at(-10))])
    assert entries(Events.MEMBER_CHANGED).filter(about=anna.pk).count() == 3


def test_new_members_of_a_file_are_told_with_one_statement():
    names = [Member(username=f"new{number}") for number in range(3)]
    with CaptureQueriesContext(connection) as captured:
        Member.objects.bulk_create(names)
    assert len([one for one in captured if "outboxentry" in one["sql"]]) == 1
    assert [one.about for one in entries(Events.MEMBER_CHANGED)] == [one.pk for one in names]


def test_however_many_entries_are_new_they_are_numbered_by_three_statements(django_assert_max_num_queries):
    Member.objects.bulk_create([Member(username=f"new{number}") for number in range(600)])
    # One asks for new ones, one for the last; between them lock, statement and the two of a savepoint.
    with django_assert_max_num_queries(6):
        last = number_entries()
    assert list(OutboxEntry.objects.order_by("pk").values_list("position", flat=True)) == [
        *range(last - 599, last + 1)
    ]
    assert number_entries() == last


@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite has one writer at a time")
@pytest.mark.django_db(transaction=True)
def test_what_took_its_key_first_and_is_committed_last_is_not_skipped(shared_database):
    anna, bob, carl, dora = rated(1600), rated(1600), rated(1600), rated(1600)
    # What both games need is there, so that neither waits for the other.
    control(CONTROL[Category.BLITZ])
    has_its_key, may_commit = Event(), Event()

    def slow():
        try:
            with transaction.atomic():
                game(anna, bob)
                has_its_key.set()
                assert may_commit.wait(60)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(slow)
        assert has_its_key.wait(60)
        game(carl, dora)
        quick = told()[4:]
        may_commit.set()
        first.result()
    late = told(quick[-1].cursor)
    assert [one.member for one in quick] == [carl.username, dora.username]
    assert [one.member for one in late] == [anna.username, bob.username]
    keys = dict(entries().values_list("position", "pk"))
    assert keys[late[0].told.position] < keys[quick[0].told.position]
    assert told()[4:] == quick + late
    assert told(end()) == []
