"""Whatever comes under a merged account's name while it is merged is that account's, once it is one again.

So the figures are the same as if the two had never been merged, whenever a game came.
"""

from datetime import date
from decimal import Decimal
from io import BytesIO

import pytest
from django.db import transaction
from django.utils import timezone

from members.comparing import compare_members
from members.former import Arrival, Merge
from members.importing import FACTS, import_members, read_members
from members.models import AccountClosure, FullMembership, Member
from ratings.arena.services.games import put_game
from ratings.fide.models import Determination
from ratings.fide.services.first_ratings import determine_first_ratings
from ratings.formats.csv_rows import read_rows
from ratings.formats.games import GameRow
from ratings.office.audit import audit
from ratings.office.models import AuditFinding
from ratings.rbb.ledger.game_files import import_games
from ratings.rbb.ledger.openings import COLUMNS, import_openings
from ratings.rbb.ledger.replay import replay
from ratings.rbb.member_files import update_members
from ratings.rbb.merging import merge_members, unmerge_members
from ratings.rbb.models import Game, OpeningRating
from ratings.rules.rbb.conditions import NOT_FULL
from ratings.rules.rbb.terminations import Termination
from ratings.rules.time_controls import Control
from tests.arena import START, at, game, member, opening, points
from tests.commands import run
from tests.fide.office import bring_players, listed

pytestmark = pytest.mark.django_db

NOW = at(60 * 24 * 60)
SPAN = ("full_from", "full_until")
MEMBERS = "username,name,fide_id,federation,sex,birth_year,title,full_from,full_until"


def row(white, black, number=1, minute=40):
    return GameRow(
        line=2,
        external_id=f"arena/{number}",
        white=white,
        black=black,
        control=Control(180, 2),
        rated=True,
        result="1-0",
        termination=Termination.CHECKMATE,
        started_at=at(minute - 5),
        ended_at=at(minute),
    )


def from_a_file(some):
    done = import_games(rows=[some], source="x.csv", sha256="1", at=NOW)
    assert done.refused == 0
    return done


def from_a_server(some):
    return put_game(some, at=NOW)


def merged(keep, other):
    merge_members(member=keep, other=other, at=NOW)


def apart(other):
    return unmerge_members(merge=Merge.objects.get(other=other), at=NOW)


@pytest.fixture
def three():
    anna, bea, carl = member("anna"), member("bea"), member("carl")
    for who, rating in ((anna, 2000), (bea, 1500), (carl, 1600)):
        opening(who, rating)
    return anna, bea, carl


def facts():
    """What people are, were and played, without keys that tell when a row came."""
    return {
        "members": list(Member.objects.order_by("pk").values_list("username", *FACTS)),
        "games": list(
            Game.objects.order_by("external_id").values_list("external_id", "white", "black", "rated")
        ),
        "spans": list(FullMembership.objects.order_by("member", "full_from").values_list("member", *SPAN)),
        "openings": sorted(OpeningRating.objects.values_list("member", "category", "rating")),
        "ratings": [points(one) for one in Member.objects.order_by("pk")],
    }


def file_of(*lines, header=MEMBERS):
    return BytesIO("\n".join([header, *lines]).encode())


@pytest.mark.parametrize("store", [from_a_file, from_a_server])
@pytest.mark.parametrize("name", ["bea", "BEA", "bea_before"])
def test_a_game_that_came_under_the_merged_name_goes_back_with_it(three, store, name):
    anna, bea, carl = three
    bea.username = "bea_before"
    bea.save()
    bea.username = "bea"
    bea.save()
    merged(anna, bea)
    store(row(name, "carl"))
    assert Game.objects.get().white == anna
    apart(bea)
    assert Game.objects.get().white == bea
    assert (points(anna), points(bea), points(carl)) == (2000, Decimal("1512.80"), Decimal("1587.20"))
    assert replay(check=True).differences == 0
    assert from_a_file(row(name, "carl")).already_there == 1
    assert not Arrival.objects.exists()
    audit()
    assert not AuditFinding.objects.filter(is_there=True).exists()


def a_game(store):
    return lambda: store(row("bea", "carl"))


def an_opening():
    rows = read_rows(file_of("bea,rapid,1900,2026-03-01", header=",".join(COLUMNS)), required=COLUMNS)
    assert import_openings(rows=rows, source="x.csv", sha256="2", at=timezone.now()).stored == 1


def a_membership():
    rows = read_members(file_of("bea,,,,,,,2024-01-01,2025-01-01"))
    assert import_members(rows=rows).spans_added == 1


def an_end_of_membership():
    began = START.isoformat()
    compared = compare_members(rows=read_members(file_of(f"bea,,,,,,,{began},2026-05-01")))
    update_members(updates=compared.updates)


def facts_about_the_member():
    compared = compare_members(rows=read_members(file_of('bea,"Berg, Bea",1503014,NOR,,,,,')))
    update_members(updates=compared.updates)


@pytest.mark.parametrize(
    "tell",
    [
        a_game(from_a_file),
        a_game(from_a_server),
        an_opening,
        a_membership,
        an_end_of_membership,
        facts_about_the_member,
    ],
)
def test_what_is_told_of_an_account_is_the_same_before_a_merge_during_it_and_after_it(three, tell):
    anna, bea, _carl = three
    FullMembership.objects.filter(member=anna).update(full_from=at(-40_000), full_until=at(-10_000))

    def told(*steps):
        with transaction.atomic():
            for step in steps:
                step()
            found = facts()
            assert replay(check=True).differences == 0
            transaction.set_rollback(True)
        for one in (anna, bea):
            one.refresh_from_db()
        return found

    def merge():
        merged(Member.objects.get(pk=anna.pk), Member.objects.get(pk=bea.pk))

    def separate():
        apart(bea)

    expected = told(tell)
    assert told(tell, merge, separate) == expected
    assert told(merge, tell, separate) == expected
    assert told(merge, separate, tell) == expected
    assert told(merge, tell, separate, merge, separate) == expected


def test_a_game_goes_back_through_a_chain_of_merges_to_the_account_that_it_came_for(three):
    anna, bea, carl = three
    dora = member("dora")
    merged(bea, dora)
    merged(anna, Member.objects.get(pk=bea.pk))
    from_a_file(row("dora", "carl", 1))
    from_a_server(row("bea", "carl", 2, minute=50))
    from_a_file(row("anna", "carl", 3, minute=60))
    apart(bea)
    assert [one.white for one in Game.objects.order_by("external_id")] == [bea, bea, anna]
    apart(dora)
    assert [one.white for one in Game.objects.order_by("external_id")] == [dora, bea, anna]
    assert replay(check=True).differences == 0
    assert carl.games_as_black.count() == 3


def test_a_game_under_the_merged_name_that_only_the_other_was_a_full_member_for_becomes_unrated(three):
    anna, bea, carl = three
    FullMembership.objects.filter(member=bea).update(full_until=at(20))
    merged(anna, bea)
    from_a_file(row("bea", "carl"))
    assert Game.objects.get().rated
    done = apart(bea)
    played = Game.objects.get()
    assert (played.white, played.rated, played.unrated_reason) == (bea, False, NOT_FULL[0])
    assert any(fact.after == NOT_FULL[0] for fact in done.facts)
    assert points(carl) == 1600


def test_a_game_that_an_officer_gives_to_the_member_stays_theirs(three):
    anna, bea, carl = three
    merged(anna, bea)
    game(anna, carl, minute=40)
    from_a_file(row("bea", "carl", minute=50))
    Game.objects.get(external_id="arena/1").delete()
    done = apart(bea)
    assert Game.objects.get().white == anna
    assert not any("reassigned since" in fact.label for fact in done.facts)


def test_what_fide_s_list_gives_under_a_merged_account_s_id_goes_back_with_the_id(db):
    anna, bea = member("anna"), member("bea", fide_id=1)
    merged(anna, bea)
    bring_players(date(2026, 3, 1), listed(1, standard=2000, rapid=1900, blitz=1800))
    determine_first_ratings(at=timezone.now())
    assert points(anna) == 1800
    apart(bea)
    assert (points(anna), points(bea)) == (None, 1800)
    assert (Determination.objects.get().member, bea.opening_ratings.count()) == (bea, 3)
    assert replay(check=True).differences == 0


def test_an_account_that_is_closed_under_the_merged_name_is_closed_under_it_alone(three):
    anna, bea, carl = three
    merged(anna, bea)
    begun = ("--from", "2026-03-01T00:30Z", "--since", "2026-03-01")
    assert "is closed" in run("close_account", "bea", *begun, "--category", "request", "--keep-games").out
    game(anna, carl, minute=50)
    from_a_file(row("bea", "carl", minute=60))
    assert Game.objects.exclude(voided_at=None).count() == 2
    apart(bea)
    assert AccountClosure.objects.get().member == bea
    assert [one.white for one in Game.objects.exclude(voided_at=None)] == [bea]
    assert replay(check=True).differences == 0
