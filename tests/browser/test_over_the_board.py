"""The public pages of chess over the board, with tournaments that are rated, refused and waiting."""

from datetime import date

import pytest

from ratings.otb.models import OtbList, Tournament
from ratings.otb.services.period_closing import close_period
from tests.otb.test_crosstable import all_play_all, swiss
from tests.otb.tournaments import AT

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def addresses(live_server):
    """An address of every kind of page."""
    rated = swiss()
    close_period(until=date(2026, 4, 24), at=AT.replace(day=25))
    waiting = all_play_all()
    planned = Tournament.objects.create(name="Planned", first_day="2027-01-02", last_day="2027-01-04")
    may = OtbList.objects.get(list_day=date(2026, 5, 1)).get_absolute_url()
    return [
        "/fide/tournaments/",
        rated.get_absolute_url(),
        waiting.get_absolute_url(),
        planned.get_absolute_url(),
        f"{rated.get_absolute_url()}rounds/3/",
        f"{rated.get_absolute_url()}players/1/",
        f"{rated.get_absolute_url()}players/6/",
        f"{waiting.get_absolute_url()}players/5/",
        "/fide/players/1000001/",
        "/fide/players/1000006/",
        "/fide/otb/",
        may,
        f"{may}top/",
        f"{may}active/",
        f"{may}delisted/",
        f"{may}titled/",
        f"{may}report/",
        f"{may}editions/",
    ]


def test_no_page_over_the_board_violates_the_rules_or_is_wider_than_the_window(addresses, check):
    for address in addresses:
        check(address)
