"""B.02 4.13 (7.1.1 of 2024): ratings go by FIDE ID, so a name unlike the list’s waits for somebody."""

from datetime import date

import pytest

from ratings.office.deciding import Proposal, preview
from ratings.office.decision_types import kind_of
from ratings.otb.labels import finding_sentence
from ratings.otb.models import Tournament
from ratings.otb.services.identity import is_alike
from ratings.otb.services.judging import accept
from ratings.otb.services.period_closing import close_period
from ratings.rules.b02.findings import Finds
from ratings.rules.b02.time_controls import Chapter
from tests.otb.test_regulations_2024 import AT, OCTOBER, RAPID, of_2024, on, players, sent
from tests.otb.tournaments import everybody_listed, received, report

__all__ = ["of_2024"]


@pytest.mark.parametrize(
    ("reported", "listed"),
    [
        ("Dahl, Erik", "Dahl, Erik"),
        ("DAHL Erik", "Dahl, Erik"),
        ("Erik, Dahl", "Dahl, Erik"),
        ("Erik Dahl", "Dahl, Erik"),
        ("Tschernin, Alexander", "Chernin, Alexander"),
        ("Mueller, Eva", "Müller, Eva"),
        ("Kowalska-Nowak, Anna", "Kowalska, Anna"),
        ("Garcia Lopez, Juan", "Lopez Garcia, Juan"),
        ("Wickramasinghe-Bandaranaike, Sur", "Wickramasinghe-Bandaranaikes, Suresh"),
    ],
)
def test_a_name_in_another_spelling_or_order_is_alike(reported, listed):
    assert is_alike(reported, listed)


@pytest.mark.parametrize(
    ("reported", "listed"),
    [
        ("Dahl, Erik", "Cerny, Petr"),
        ("Dahl, Erik", "Berg, Erik"),
        ("Li, Wei", "Wu, Wei"),
        ("Dahl", "Cerny, P"),
    ],
)
def test_another_family_name_is_unlike(reported, listed):
    assert not is_alike(reported, listed)


@pytest.mark.django_db
def test_4_13_a_name_unlike_that_of_the_fide_id_waits_until_somebody_accepts_it(admin_user, settings):
    settings.OTB_REGULATIONS_2024_SINCE = date(2026, 6, 1)
    entrants = everybody_listed(2100, 2000, 1900)
    dahl = [entrants[0], entrants[1], entrants[2]._replace(name="Dahl, Erik")]
    done = received(report(dahl, [{(1, 2): "1"}, {(1, 3): "1"}, {(2, 3): "1"}], kind="Swiss"))
    (finding,) = done.rated.refusals
    assert done.remarks == ()
    assert finding_sentence(finding, done.rated.names, done.rated.edition) == (
        "The report gives Dahl, Erik the FIDE ID 1000003, which belongs to PlayerC, Anna on the "
        "list. If they are the same person, accept this; if not, correct the FIDE ID and replace the "
        "report (B.02 4.13)."
    )
    asked = Proposal(kind=kind_of("close-period"), parameters={"until": ["2026-05-01"]})
    ((_tournament, is_refused, rows),) = preview(asked, at=AT.replace(month=5)).result.not_rated
    assert not is_refused
    assert [row.finds for row in rows] == [Finds.OTHER_NAME]
    accept(done.tournament, Finds.OTHER_NAME, "Erik Dahl took his wife’s name.", admin_user, AT)
    close_period(until=date(2026, 5, 1), at=AT.replace(month=5))
    assert Tournament.objects.get().status == Tournament.Status.RATED


@pytest.mark.django_db
def test_7_1_1_the_name_of_who_begins_with_a_standard_rating_is_compared_too():
    entrants = players({"standard": 1900}, {"standard": 1900, "rapid": 1900})
    sent([entrants[0]._replace(name="Dahl, Erik"), entrants[1]], [{(1, 2): "1"}], RAPID)
    closing = close_period(until=OCTOBER, chapter=Chapter.RAPID, at=AT)
    assert [[one.finds for one in rated.refusals] for rated in closing.refused] == [[Finds.OTHER_NAME]]
    assert on(Chapter.RAPID)[2] == (1900, 20, 0, 30)
