"""The reports of a period under the regulations of 2009 and of 2024, side by side."""

from datetime import date
from decimal import Decimal

import pytest
from django.urls import reverse

from ratings.otb.models import OtbList, OtbListEntry
from ratings.otb.services import both_editions as services
from ratings.otb.services.both_editions import Player, apart_bars, both_editions
from ratings.otb.services.publishing import rerate_from
from tests.otb.test_periods import (
    AT,
    ID,
    NEW,
    NOVEMBER,
    SEPTEMBER,
    TWO_ROUNDS,
    close,
    newcomer,
    on,
    received,
    september,
)
from tests.pages import words

__all__ = ["september"]

pytestmark = pytest.mark.django_db


OCTOBER = date(2025, 10, 1)


def address(list_day, revision=1):
    return reverse("otb:editions", args=(list_day, revision))


def compared(list_day=NOVEMBER):
    return both_editions(OtbList.objects.latest_of(list_day))


def test_ratings_of_both_editions():
    """test_periods has 2009, with K 15 and 10. K of 2024 is 20 and 10, and changes are summed before K.

    Player 1: 20 × -.50 = -10; 2: 20 × .06 = 1.20; 3 and 4 as in 2009: 2112.5 is 2113, -8.1 is 2442.
    """
    received([1, 2, 3, 4], TWO_ROUNDS, date(2025, 9, 10))
    close(NOVEMBER)
    found = compared()
    assert {one.fide_id - ID: (one.before, *one.after) for one in found.players} == {
        1: (2000, 1993, 1990),
        2: (1900, 1901, 1901),
        3: (2100, 2113, 2113),
        4: (2450, 2442, 2442),
    }
    of_2009, of_2024 = found.figures
    assert (of_2009.changed, of_2009.change, of_2009.mean_change) == (4, -1, Decimal("-0.25"))
    assert (of_2024.changed, of_2024.change, of_2024.mean_change) == (4, -4, Decimal("-1.00"))
    assert (of_2009.k, of_2024.k) == ([(15, 2), (10, 2)], [(20, 2), (10, 2)])
    # Player 2 against 4, seen by both: 550 points.
    assert (of_2009.capped, of_2024.capped) == (2, 2)
    assert [(one.fide_id - ID, one.apart) for one in found.differing] == [(1, -3)]
    assert found.mean_apart == Decimal("-0.75")
    # Of the list before, the players 5 and 6 have 1205 and 1210.
    assert (found.tournaments, found.of, found.below) == (1, 1, 2)


def test_the_edition_of_the_list_gives_the_list():
    received([1, 2, 3, 4], TWO_ROUNDS, date(2025, 9, 10))
    received([1, 3], [[(1, 2, "1")]], date(2025, 9, 20), "Match")
    close(NOVEMBER)
    found = {one.fide_id - ID: one.after[0] for one in compared().players}
    assert OtbList.objects.latest_of(NOVEMBER).edition == 2009
    assert found == {short: on(NOVEMBER)[short][0] for short in (1, 2, 3, 4)}


def test_2009_gives_k_of_its_own_to_a_list_of_2024(settings):
    """K of the list, taken over from FIDE, is 15 here, and stays for its own edition: 15 × -.50 is -7.5."""
    settings.OTB_REGULATIONS_2024_SINCE = date(2024, 3, 1)
    received([1, 2, 3, 4], TWO_ROUNDS, date(2025, 9, 10))
    received([7, 8], [[(1, 2, "1")]], date(2025, 9, 10), "Two")
    close(OCTOBER)
    found = compared(OCTOBER)
    assert OtbList.objects.latest_of(OCTOBER).edition == 2025
    assert {one.fide_id - ID: one.after[1] for one in found.players} == {
        short: on(OCTOBER)[short][0] for short in (1, 2, 3, 4, 7, 8)
    }
    # Number 7 has K 40 on the list, as somebody without games; in 2009 that is 25.
    assert [one.k for one in found.figures] == [[(25, 1), (15, 3), (10, 2)], [(40, 1), (15, 3), (10, 2)]]


def test_the_floors_are_1200_and_1400():
    """Number 5, 1205, loses to 1210: 1198. Under 2024 both fall below 1400, whatever they score."""
    received([5, 6], [[(1, 2, "0")]], date(2025, 9, 10))
    close(NOVEMBER)
    of_2009, of_2024 = compared().figures
    assert (of_2009.edition.floor, of_2024.edition.floor) == (1200, 1400)
    assert (of_2009.gone, of_2024.gone) == (1, 2)
    assert (of_2009.changed, of_2024.changed) == (1, 0)


def test_first_ratings_take_nine_games_in_2009_and_five_in_2024():
    newcomer([20, 21, 22, 30, 31, 32], "=====1", date(2025, 9, 10), "Open")
    close(NOVEMBER)
    (new,) = [one for one in compared().players if one.fide_id == ID + NEW]
    assert (new.before, new.after[0]) == (None, None)
    # Ra = (3 × 2220 + 3 × 2150 + 3600) / 8 = 2088.75, p = (3.5 + 1) / 8 = 0.56 and dp = 43: 2131.75.
    assert new.after[1] == 2132
    of_2009, of_2024 = compared().figures
    assert (of_2009.new, of_2009.mean_new, of_2024.new, of_2024.mean_new) == (0, None, 1, Decimal("2132.00"))


def test_nothing_is_written():
    received([1, 2, 3, 4], TWO_ROUNDS, date(2025, 9, 10))
    close(NOVEMBER)
    before = list(OtbListEntry.objects.order_by("pk").values())
    compared()
    assert list(OtbListEntry.objects.order_by("pk").values()) == before
    assert rerate_from(NOVEMBER, at=AT) == []


def test_only_the_first_tournaments_of_a_long_period(monkeypatch):
    received([1, 2], [[(1, 2, "1")]], date(2025, 9, 10), "One")
    received([3, 4], [[(1, 2, "1")]], date(2025, 9, 20), "Two")
    close(NOVEMBER)
    monkeypatch.setattr(services, "MOST", 1)
    found = compared()
    assert (found.tournaments, found.of) == (1, 2)
    assert {one.fide_id - ID for one in found.players} == {1, 2}


@pytest.mark.parametrize(
    ("apart", "bars"),
    [
        ([], []),
        ([3, -3, -3], [(-3, -3, 2), (3, 3, 1)]),
        # Bars of three points: 11 is in the bar from 11 to 13.
        ([11, -1], [(-1, 1, 1), (11, 13, 1)]),
        ([31, -31], [(-31, -29, 1), (29, 31, 1)]),
        ([32], [(28, 32, 1)]),
    ],
)
def test_the_picture_has_21_bars_around_0(apart, bars):
    players = [Player(n, "", None, (2000, 2000 + one)) for n, one in enumerate(apart)]
    found = apart_bars(players)
    assert len(found) == (21 if apart else 0)
    assert [(one.low, one.high, one.players) for one in found if one.players] == bars


class TestThePage:
    def test_it_has_figures_a_picture_and_names(self, client):
        received([1, 2, 3, 4], TWO_ROUNDS, date(2025, 9, 10))
        close(NOVEMBER)
        response = client.get(address(NOVEMBER))
        said = words(response)
        assert "list of 1 Nov 2025: 2009 and 2024" in said
        assert "Average change −0.25 −1.00" in said
        assert "Lowest rating 1200 1400" in said
        assert "The previous list has 2 players below 1400." in said
        assert "1 player has different ratings under the two." in said
        assert "Player, Number 1 2000 1993 1990 −3" in said
        assert response.text.count("<rect") == 1

    def test_a_list_that_was_taken_over_has_no_tournaments(self, client):
        received([1, 2, 3, 4], TWO_ROUNDS, date(2025, 9, 10))
        close(NOVEMBER)
        assert "No tournament was rated for this list." in words(client.get(address(SEPTEMBER)))

    def test_a_replaced_list_leads_to_its_last_revision(self, client):
        received([1, 2, 3, 4], TWO_ROUNDS, date(2025, 9, 10))
        close(NOVEMBER)
        OtbList.objects.filter(list_day=NOVEMBER).update(revision=2)
        old = OtbList.objects.get(list_day=NOVEMBER)
        OtbList.objects.create(
            chapter=old.chapter, list_day=NOVEMBER, revision=1, published_at=AT, edition=old.edition
        )
        assert client.get(address(NOVEMBER, 1)).headers["Location"] == address(NOVEMBER, 2)

    def test_there_is_none_for_rapid(self, client):
        assert client.get(f"/fide/otb/rapid/{NOVEMBER}/1/editions/").status_code == 404
