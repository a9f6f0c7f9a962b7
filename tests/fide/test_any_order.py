"""RBB 2.1, 3.4, 3.11, 3.15: in whatever order facts are entered, the ledger is the same.

Games, their corrections, deletions and voids, openings, adjustments, full membership, its beginning and end,
FIDE IDs, lists, announcements, closed accounts, some of which are opened again, and merges, of which one is
taken back: files and servers tell of the account before the merge, while it is merged, and afterwards.
"""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from io import BytesIO
from operator import itemgetter

import pytest
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foa.text import utc_text
from members import importing
from members.comparing import compare_members
from members.former import Merge, accounts_called
from members.models import AccountClosure, FullMembership, Member
from members.usernames import key_of
from ratings.arena.services.games import RefusedError, put_game
from ratings.fide.models import FideList
from ratings.fide.services.announcing import NotAnnounced, announce
from ratings.fide.services.first_ratings import determine_first_ratings
from ratings.fide.services.looking_up import look_up_kept_lists
from ratings.fide.services.watch import redetermine, watched
from ratings.formats.csv_rows import read_rows
from ratings.formats.games import GameRow
from ratings.office.deciding import Proposal, decide_at_once
from ratings.office.decision_types import kind_of
from ratings.office.models import ChangeSet
from ratings.rbb.audit.games import games_kept_unrated, games_of_closed_accounts
from ratings.rbb.decisions.games import GAME_FIELDS
from ratings.rbb.decisions.inputs import parameters_of
from ratings.rbb.ledger.openings import COLUMNS, import_openings
from ratings.rbb.ledger.replay import replay
from ratings.rbb.member_files import update_members
from ratings.rbb.models import Game, OpeningRating, OtbAdjustment, RatingChange
from ratings.rules.rbb.rating import Reason
from ratings.rules.rbb.terminations import Termination
from ratings.rules.time_controls import Category, Control
from tests.arena import CONTROL, control, game
from tests.fide.office import bring_players, listed
from tests.histories import at_most

pytestmark = pytest.mark.django_db

RAPID, BLITZ, _ = Category
MONTHS = [date(2025, month, 1) for month in (9, 10, 11)]


def moment(month, day, hour=12):
    return datetime(2025, month, day, hour, tzinfo=UTC)


def lists(period):
    """What FIDE says of six: four improve, one becomes rated, one is rated in standard alone."""
    number = MONTHS.index(period)
    return (
        listed(1, rapid=1800 + 20 * number, blitz=1700 - 10 * number),
        listed(2, rapid=1600 + 30 * number if number else None),
        listed(3, standard=1500 + number),
        listed(4, rapid=2000 + 50 * number),
        listed(5, rapid=1650 + 10 * number),
        listed(6, rapid=1450 + 15 * number),
    )


def joins(name, joined, until=None):
    def enter():
        who = Member.objects.create(username=name)
        FullMembership.objects.create(member=who, full_from=joined, full_until=until)

    return enter


def has_fide_id(name, fide_id):
    """It becomes known, or turns out to be another one."""

    def enter():
        (who,) = called(name) or (None,)
        if who is None:
            return False
        who.fide_id = fide_id
        who.save()
        return True

    return enter


def called(*names):
    """These members, by the names that they have or had; none if one isn’t there."""
    found = [Member.objects.called(name) for name in names]
    return found if all(found) else []


def played(white, black, ended_at):
    """The game of two at a moment."""
    players = called(white, black)
    found = dict(zip(("white", "black"), players, strict=False))
    return Game.objects.filter(**found, ended_at=ended_at).first() if players else None


def plays(white, black, result, ended_at):
    def enter():
        players = called(white, black)
        if not players:
            return False
        if players[0] == players[1]:
            return True  # a merge has made it a game of one person
        facts = {"notation": CONTROL[RAPID], "started_at": ended_at, "ended_at": ended_at}
        try:
            with transaction.atomic():
                game(*players, result, **facts)
        except ValidationError:
            # Nobody may claim that it is rated while membership says otherwise: it is kept unrated.
            unrated = Game(
                white=players[0], black=players[1], time_control=control(CONTROL[RAPID]), started_at=ended_at
            )
            why = "; ".join(map(str, unrated.unmet_conditions()))
            assert "(RBB 2.1)" in why
            game(*players, result, **facts, rated=False, unrated_reason=why)
        return True

    return enter


def server_tells(white, black, result, ended_at):
    """A server tells of a game by usernames. What it can’t be told yet it tells again later."""

    def enter():
        players = called(white, black)
        if not players or players[0] == players[1]:
            return False
        why = ""
        row = GameRow(
            line=0,
            external_id=f"arena/{white}-{black}-{ended_at:%d}",
            white=white,
            black=black,
            control=Control.parse(CONTROL[RAPID]),
            rated=True,
            result=result,
            termination=Termination.NORMAL,
            started_at=ended_at - timedelta(minutes=9),
            ended_at=ended_at,
        )
        try:
            with transaction.atomic():
                put_game(row, at=timezone.now())
        except RefusedError:
            unrated = Game(
                white=players[0],
                black=players[1],
                time_control=control(CONTROL[RAPID]),
                started_at=row.started_at,
            )
            why = "; ".join(map(str, unrated.unmet_conditions()))
            assert "(RBB 2.1)" in why
            put_game(replace(row, rated=False, unrated_reason=why), at=timezone.now())
        return True

    return enter


def file_of_members_tells(**told):
    """A file updates a member, by username; what it refuses is in a later one, too."""

    def enter():
        if not called(told["username"]):
            return False
        lines = ",".join(importing.COLUMNS), ",".join(told.get(name, "") for name in importing.COLUMNS)
        compared = compare_members(rows=importing.read_members(BytesIO("\n".join(lines).encode())))
        if not compared.refused:
            update_members(updates=compared.updates)
        return not compared.refused

    return enter


def file_of_openings_tells(line):
    """A file has a starting rating, by username."""

    def enter():
        if not called(line.partition(",")[0]):
            return False
        rows = read_rows(BytesIO(f"{','.join(COLUMNS)}\n{line}".encode()), required=COLUMNS)
        assert import_openings(rows=rows, source="x.csv", sha256=line[:9], at=timezone.now()).refused == 0
        return True

    return enter


def is_void(white, black, ended_at):
    """Somebody finds out that a game was not fair."""

    def enter():
        if (one := played(white, black, ended_at)) is None:
            return False
        if one.voided_at is None:
            decided("void-games", game=one.pk)
        return True

    return enter


def is_deleted(white, black, ended_at):
    """A game that was never played."""

    def enter():
        if (one := played(white, black, ended_at)) is None:
            return False
        decided("delete-games", game=one.pk)
        return True

    return enter


def is_corrected(white, black, ended_at, fields):
    """The result was another, or another played; ``fields`` may have a player’s name."""

    def enter():
        one = played(white, black, ended_at)
        names = {name: value for name, value in fields.items() if name in ("white", "black")}
        players = called(*names.values())
        if one is None or len(players) != len(names):
            return False
        keys = {name: [str(who.pk)] for name, who in zip(names, players, strict=True)}
        asked = {name: [value] for name, value in fields.items()} | keys
        parameters = {**parameters_of(one, GAME_FIELDS), **asked, "game": [str(one.pk)]}
        decide_at_once(Proposal(kind=kind_of("correct-game"), parameters=parameters))
        return True

    return enter


def is_member(name, begin, end=None):
    """The office learns in hindsight from when until when somebody was a full member; None: as it knows."""

    def enter():
        (who,) = called(name) or (None,)
        if who is None:
            return False
        spans = FullMembership.objects.spans_of([who.pk])[who.pk]
        first, until = begin or min(spans)[0], end or min(spans)[1]
        others = sorted(spans)[1:]
        told = [f"{utc_text(first)}/{utc_text(until) if until else ''}"]
        told += [f"{utc_text(one)}/{utc_text(last) if last else ''}" for one, last in others]
        parameters = {"member": [str(who.pk)], "span": told, "rate_games": ["on"]}
        decide_at_once(Proposal(kind=kind_of("change-membership"), parameters=parameters))
        return True

    return enter


def changes(name, period, change, at):
    """An over-the-board change by hand. Where the other of two merged accounts has one, it has to wait."""

    def enter():
        players = called(name)
        if OtbAdjustment.objects.filter(member__in=players, category=RAPID, period=period).exists():
            return False
        for who in players:
            OtbAdjustment.objects.create(
                member=who, category=RAPID, period=period, change=change, effective_at=at, source="by hand"
            )
        return bool(players)

    return enter


def is_closed(name, begin, until, since=None, opponents=()):
    """An account is closed for rated play, with games of before."""

    def enter():
        if not called(name, *opponents):
            return False
        games = "keep" if since is None else "opponents" if opponents else "all"
        decided(
            "close-account",
            member=called(name)[0].pk,
            closed_from=utc_text(begin),
            closed_until=utc_text(until),
            category="fair-play",
            games=games,
            since="" if since is None else f"{since:%Y-%m-%d}",
            opponents="\n".join(one.username for one in called(*opponents)) if opponents else "",
            account=accounts_called([name]).get(key_of(name), ""),
        )
        return True

    return enter


def is_reopened(name, begin):
    def enter():
        closure = AccountClosure.objects.filter(member__in=called(name), closed_from=begin).first()
        if closure is None:
            return False
        decided("reopen-account", closure=closure.pk)
        return True

    return enter


def are_one(keep, other):
    """Two accounts turn out to be those of one person."""

    def enter():
        players = called(keep, other)
        if not players:
            return False
        decided("merge-members", keep=players[0].pk, other=players[1].username)
        return True

    return enter


def are_two(other):
    """They were two people after all."""

    def enter():
        merge = Merge.objects.filter(other__username=other).first()
        if merge is None:
            return False
        decided("unmerge-members", merge=merge.pk)
        return True

    return enter


def decided(kind, **asked):
    parameters = {name: [str(value)] for name, value in asked.items()}
    change_set, _effect = decide_at_once(Proposal(kind=kind_of(kind), parameters=parameters))
    assert change_set is None or change_set.state == ChangeSet.State.APPLIED


def announces(period, at):
    def enter():
        try:
            announce(period=period, at=at)
        except NotAnnounced:
            return False
        return True

    return enter


def is_rated(name, rating, effective_at):
    def enter():
        for who in (players := called(name)):
            OpeningRating.objects.create(
                member=who, category=RAPID, rating=rating, effective_at=effective_at, source="by hand"
            )
        return bool(players)

    return enter


JANA_2 = joins("jana2", moment(9, 8))
JANAS_ARE_ONE = are_one("jana", "jana2")

FACTS = [
    *(lambda month=month: bring_players(month, *lists(month)) for month in MONTHS),
    announces(MONTHS[1], moment(10, 4)),
    announces(MONTHS[2], moment(11, 4)),
    joins("anna", moment(10, 2)),
    joins("boris", moment(9, 5)),
    joins("carl", moment(9, 20), moment(11, 20)),
    joins("dora", moment(9, 1)),
    joins("emil", moment(9, 1)),
    joins("fred", moment(9, 15)),
    has_fide_id("anna", 1),
    has_fide_id("boris", 2),
    has_fide_id("carl", 3),
    has_fide_id("fred", 4),
    is_member("emil", None, moment(10, 15)),
    is_rated("dora", 1700, moment(9, 1)),
    is_rated("emil", 1650, moment(9, 1)),
    changes("emil", MONTHS[1], "12.50", moment(10, 5)),
    plays("anna", "dora", "1-0", moment(10, 3)),
    plays("dora", "anna", "1/2-1/2", moment(10, 9)),
    plays("carl", "dora", "0-1", moment(11, 6)),
    plays("boris", "dora", "1/2-1/2", moment(10, 20)),
    plays("boris", "anna", "1-0", moment(11, 10)),
    plays("emil", "dora", "1-0", moment(10, 10)),
    plays("dora", "emil", "0-1", moment(10, 19)),
    plays("emil", "anna", "1/2-1/2", moment(10, 12)),
    is_void("emil", "anna", moment(10, 12)),
    # While the FIDE ID of fred isn't known, he has a rating by five games (3.6), and others play against it.
    *(plays("fred", "dora", "1/2-1/2", moment(9, day, 15)) for day in range(16, 22)),
    plays("fred", "boris", "0-1", moment(10, 21)),
    # Filip has a second account, which had another opening of the same moment, and plays under both.
    joins("filip", moment(9, 10)),
    joins("filip2", moment(9, 3)),
    is_rated("filip", 1500, moment(9, 10)),
    is_rated("filip2", 1580, moment(9, 10)),
    plays("filip", "dora", "1-0", moment(9, 12, 18)),
    plays("filip2", "dora", "0-1", moment(9, 14, 18)),
    plays("filip", "filip2", "1-0", moment(9, 16, 18)),
    plays("filip2", "boris", "1/2-1/2", moment(9, 17, 18)),
    are_one("filip", "filip2"),
    # Gina was a member before the office knew, and her account was closed, with her games against Filip.
    joins("gina", moment(9, 20)),
    is_member("gina", moment(9, 4)),
    is_rated("gina", 1900, moment(9, 4)),
    plays("gina", "filip2", "1-0", moment(9, 18, 18)),
    plays("gina", "dora", "1-0", moment(9, 19, 18)),
    plays("filip", "gina", "0-1", moment(9, 21, 18)),
    plays("gina", "boris", "1-0", moment(9, 25, 18)),
    plays("gina", "dora", "0-1", moment(9, 29, 18)),
    is_closed("gina", moment(9, 24), moment(9, 28), moment(9, 5), ["filip2"]),
    # Hugo's was closed by mistake, and so is opened again.
    joins("hugo", moment(9, 1)),
    is_rated("hugo", 1750, moment(9, 1)),
    plays("hugo", "dora", "1-0", moment(9, 22, 18)),
    plays("hugo", "gina", "1/2-1/2", moment(9, 26, 18)),
    is_closed("hugo", moment(9, 21), moment(10, 1)),
    is_reopened("hugo", moment(9, 21)),
    # Ivan's second account has the FIDE ID, and became one of a full member when another list was in force.
    joins("ivan", moment(9, 6)),
    joins("ivan2", moment(10, 6)),
    has_fide_id("ivan2", 5),
    plays("ivan", "dora", "1-0", moment(9, 23, 18)),
    plays("ivan", "hugo", "1-0", moment(9, 24, 18)),
    plays("ivan2", "dora", "1-0", moment(10, 24, 18)),
    are_one("ivan", "ivan2"),
    # Jana and Jana2 were taken for one person.
    joins("jana", moment(9, 2), moment(11, 25)),
    JANA_2,
    file_of_openings_tells("jana,rapid,1720,2025-09-02T12:00Z"),
    file_of_members_tells(username="jana2", fide_id="6"),
    file_of_members_tells(
        username="jana2", fide_id="6", full_from="2025-09-08T12:00Z", full_until="2025-11-15"
    ),
    server_tells("jana2", "dora", "1-0", moment(9, 10, 20)),
    server_tells("jana", "boris", "0-1", moment(9, 11, 20)),
    server_tells("dora", "jana2", "1/2-1/2", moment(9, 13, 20)),
    server_tells("jana", "jana2", "1/2-1/2", moment(9, 14, 20)),
    server_tells("jana2", "hugo", "0-1", moment(9, 15, 20)),
    server_tells("jana", "emil", "1-0", moment(10, 11, 20)),
    server_tells("jana2", "emil", "1-0", moment(10, 13, 20)),
    server_tells("boris", "jana2", "1-0", moment(11, 12, 20)),
    server_tells("boris", "jana2", "1-0", moment(11, 20, 20)),
    is_corrected("dora", "jana2", moment(9, 13, 20), {"result": "0-1"}),
    is_corrected("jana2", "hugo", moment(9, 15, 20), {"black": "dora"}),
    is_void("jana2", "emil", moment(10, 13, 20)),
    is_deleted("jana2", "dora", moment(9, 10, 20)),
    changes("jana", MONTHS[1], "-7.50", moment(10, 5)),
    is_closed("jana2", moment(11, 11), moment(11, 13)),
    JANAS_ARE_ONE,
    are_two("jana2"),
    # What was entered wrongly.
    plays("hugo", "boris", "1-0", moment(9, 7, 18)),
    is_corrected("hugo", "boris", moment(9, 7, 18), {"result": "0-1"}),
    plays("hugo", "dora", "1-0", moment(9, 8, 18)),
    is_corrected("hugo", "dora", moment(9, 8, 18), {"black": "filip2"}),
    plays("hugo", "emil", "1-0", moment(9, 9, 18)),
    is_deleted("hugo", "emil", moment(9, 9, 18)),
]


def entered(facts):
    """The ledger by content once the facts are entered, those that need others as soon as these are there.

    Then the worker looks up who came later, what is proposed is applied, and games are rated or void as the
    audit finds, as the office does: once.
    """
    waiting = list(facts)
    while waiting:
        waiting = [enter for enter in waiting if enter() is False]
    look_up_kept_lists()
    determine_first_ratings(at=timezone.now())
    redetermine(at=timezone.now())
    assert not look_up_kept_lists()
    assert not determine_first_ratings(at=timezone.now()).members
    assert not list(watched(at=timezone.now()))
    for finding in [*games_kept_unrated(), *games_of_closed_accounts()]:
        kind, asked = finding.mends
        decide_at_once(Proposal(kind=kind_of(kind), parameters=asked))
    assert FideList.objects.count() == len(MONTHS)
    assert replay(check=True).differences == 0
    lines = RatingChange.objects.values_list(
        "member__username", "category", "occurred_at", "reason", "before", "after"
    )
    # Of two openings of one moment that is not applied whose key is the lower or the higher one.
    return sorted((line[:4] if line[3] == Reason.OPENING_NOT_APPLIED else line for line in lines), key=repr)


@settings(
    max_examples=at_most(30), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(order=st.permutations(range(len(FACTS))))
@pytest.mark.long
def test_any_order_of_entry_gives_the_same_ledger(in_order, order):
    with transaction.atomic():
        ledger = entered(FACTS[number] for number in order)
        transaction.set_rollback(True)
    assert ledger == in_order


@pytest.mark.long
def test_what_arrives_while_accounts_are_merged_goes_back_to_the_one_that_it_named(in_order):
    facts = [enter for enter in FACTS if enter is not JANAS_ARE_ONE]
    facts.insert(facts.index(JANA_2) + 1, JANAS_ARE_ONE)
    with transaction.atomic():
        ledger = entered(facts)
        transaction.set_rollback(True)
    assert ledger == in_order


@pytest.fixture
def in_order(db):
    """The ledger of the facts in the order of their dates; with figures of which something follows."""
    with transaction.atomic():
        ledger = entered(FACTS)
        transaction.set_rollback(True)
    assert {line[0] for line in ledger} == {
        *("anna", "boris", "carl", "dora", "emil", "filip", "fred", "gina", "hugo", "ivan", "jana", "jana2")
    }
    games = {
        who: [at for name, _, at, reason, *_ in ledger if name == who and reason == Reason.RATED]
        for who in ("emil", "gina")
    }
    # The game of after his membership is unrated, and the void one counts for nothing.
    assert games["emil"] == [moment(10, 10), moment(10, 11, 20)]
    # Of Gina's games those in the closure are void, and before it those against Filip.
    assert games["gina"] == [moment(9, 19, 18), moment(9, 29, 18)]
    # Filip starts with the higher of his two openings.
    assert ("filip", RAPID, moment(9, 10), Reason.OPENING, None, 1580) in ledger
    assert ("filip", RAPID, moment(9, 10), Reason.OPENING_NOT_APPLIED) in ledger
    # Six draws from 2000 against dora, who had 1700: rated by 3.4, not by 3.6.
    assert ("fred", RAPID, moment(9, 15), Reason.OPENING, None, 2000) in ledger
    # Ivan's is that of the list in force when the first of his accounts became one of a full member.
    assert ("ivan", RAPID, moment(9, 6), Reason.OPENING, None, 1650) in ledger
    # Jana and Jana2 each have what they played, and Jana2 what the lists give to her FIDE ID.
    rapid = sorted((line for line in ledger if line[1] == RAPID), key=itemgetter(2))
    latest = {line[0]: line[-1] for line in rapid}
    assert (str(latest["jana"]), str(latest["jana2"])) == ("1715.50", "1497.40")
    return ledger
