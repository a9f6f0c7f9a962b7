"""B.02 0.3, 0.4: rating fees: owed, due and paid; 9.3: rating administrators. Nothing of it is public."""

import hashlib
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from django.db import IntegrityError, transaction
from django.test import Client

from ratings.office.deciding import Proposal, preview
from ratings.office.decision_types import kind_of
from ratings.office.uploads import keep
from ratings.otb.models import FeePayment, RatingAdministrator, RatingFee, Tournament
from ratings.otb.services.fees import account, unpaid
from ratings.rules.b02.types import TournamentType
from tests.backoffice import admin_page
from tests.otb.tournaments import FIRST_DAY, everybody_listed, received, report, round_robin
from tests.pages import words

pytestmark = pytest.mark.django_db

FIRST_REPORT = datetime(2026, 4, 2, 23, 30, tzinfo=UTC)
ROUNDS = round_robin("*111", "0*11", "00*1", "000*")


def fee(
    kind=TournamentType.ROUND_ROBIN, since=date(2026, 1, 1), per_tournament="50", per_player="1.50", **other
):
    return RatingFee.objects.create(
        kind=kind, since=since, per_tournament=Decimal(per_tournament), per_player=Decimal(per_player),
        **{"currency": "EUR", **other},
    )  # fmt: skip


def four_players(**options):
    """A round robin of four, which was reported on 2 April."""
    players = everybody_listed(2000, 1900, 1800, 1700)
    return received(report(players, ROUNDS), at=FIRST_REPORT, **options).tournament


def paid(tournament, amount, **other):
    return FeePayment.objects.create(
        tournament=tournament, amount=Decimal(amount), paid_on=date(2026, 4, 20), recorded_at=FIRST_REPORT
    )


def test_0_3_without_a_fee_of_its_kind_a_tournament_owes_nothing():
    fee(kind=TournamentType.SWISS)
    tournament = four_players()
    assert account(tournament) is None
    assert not unpaid(Tournament.objects.all()).exists()


def test_0_3_the_fee_is_for_the_tournament_and_each_player_and_due_30_days_after_the_first_report():
    """50.00 + 4 × 1.50 = 56.00; 2 April and 30 days are 2 May."""
    fee()
    tournament = four_players()
    found = account(tournament)
    assert (found.owed, found.paid, found.open) == (Decimal("56.00"), Decimal("0.00"), Decimal("56.00"))
    assert (found.currency, found.due) == ("EUR", date(2026, 5, 2))
    assert not found.is_overdue(date(2026, 5, 2))
    assert found.is_overdue(date(2026, 5, 3))


def test_0_4_a_tournament_owes_nothing_before_its_report():
    fee()
    tournament = Tournament.objects.create(
        name="Fjord Masters", first_day=FIRST_DAY, last_day=FIRST_DAY, kind=2
    )
    assert account(tournament) is None


def test_the_fee_is_that_of_the_first_day_whatever_the_office_asks_later():
    fee(since=date(2025, 1, 1), per_tournament="10", per_player="0")
    fee(since=FIRST_DAY, per_tournament="20", per_player="0")
    fee(since=date(2026, 3, 15), per_tournament="40", per_player="0")
    assert account(four_players()).owed == Decimal("20.00")


def test_parts_are_paid_until_nothing_is_open():
    fee()
    tournament = four_players()
    paid(tournament, "30")
    assert account(tournament).open == Decimal("26.00")
    assert list(unpaid(Tournament.objects.all())) == [tournament]
    paid(tournament, "26")
    assert account(tournament).open == Decimal("0.00")
    assert not unpaid(Tournament.objects.all()).exists()


def test_a_report_with_more_players_takes_the_place_of_another_and_the_difference_is_open():
    fee()
    tournament = four_players()
    paid(tournament, "56")
    players = everybody_listed(2000, 1900, 1800, 1700, 1650, period=date(2026, 4, 1))
    five = report(players, round_robin("*1111", "0*111", "00*11", "000*1", "0000*"))
    received(five, at=datetime(2026, 5, 30, tzinfo=UTC), tournament=tournament)
    found = account(tournament)
    assert (found.owed, found.open) == (Decimal("57.50"), Decimal("1.50"))
    assert found.due == date(2026, 5, 2), "it was due from the first report on"


@pytest.mark.parametrize("fields", [{"announced_unrated": True}, {"status": Tournament.Status.REFUSED}])
def test_what_is_not_rated_owes_nothing_and_what_was_paid_is_seen(fields):
    fee()
    tournament = four_players()
    Tournament.objects.filter(pk=tournament.pk).update(**fields)
    assert account(tournament) is None
    paid(tournament, "56")
    assert account(tournament).open == Decimal("-56.00")


def test_an_officer_sets_a_fee_finds_what_is_unpaid_and_registers_a_payment_in_the_admin(officer):
    tournament = four_players()
    made = officer.post(
        admin_page(RatingFee, "add"),
        {"kind": "2", "since": "2026-01-01", "per_tournament": "50", "per_player": "1.5", "currency": "EUR",
         "days": "30"},
    )  # fmt: skip
    assert made.status_code == 302, words(made)
    worklist = officer.get(admin_page(Tournament), {"fee": "unpaid"})
    assert "56.00 EUR" in words(worklist)
    assert "2 May 2026 (overdue)" in words(worklist)
    page = officer.get(admin_page(tournament))
    assert "Owed: 56.00 EUR. Paid: 0.00 EUR. 56.00 EUR due by 2 May 2026." in words(page)
    address = f"{admin_page(FeePayment, 'add')}?tournament={tournament.pk}"
    assert address in page.text
    assert f'<option value="{tournament.pk}" selected>' in officer.get(address).text
    told = {"tournament": tournament.pk, "amount": "56.00", "paid_on": "2026-04-20", "paid_by": "Bergen CC"}
    done = officer.post(address, told)
    assert done.status_code == 302, words(done)
    payment = FeePayment.objects.get()
    assert (payment.amount, payment.recorded_by.username) == (Decimal("56.00"), "Rating officers")
    assert payment.recorded_at is not None
    assert "56.00 EUR" not in words(officer.get(admin_page(Tournament), {"fee": "unpaid"}))
    assert "Paid: 56.00 EUR." in words(officer.get(admin_page(tournament)))


def test_a_payment_is_for_what_owes_a_fee_and_has_arrived(officer):
    tournament = four_players()
    told = {"tournament": tournament.pk, "amount": "0", "paid_on": "2999-01-01", "paid_by": ""}
    page = words(officer.post(admin_page(FeePayment, "add"), told))
    assert "No rating fee is due for Fjord Open (14 Mar 2026)." in page
    assert "This date is in the future." in page
    assert "greater than or equal to 0.01" in page
    assert not FeePayment.objects.exists()


def test_no_page_of_the_public_speaks_of_money():
    fee()
    tournament = four_players()
    paid(tournament, "30")
    page = words(Client().get(tournament.get_absolute_url()))
    assert "EUR" not in page
    assert "30.00" not in page
    assert "fee" not in page


@pytest.mark.parametrize("wrong", [{"per_player": "-1"}, {"since": date(2026, 1, 1)}])
def test_the_database_refuses_a_negative_fee_and_two_since_one_day(wrong):
    fee()
    with pytest.raises(IntegrityError), transaction.atomic():
        fee(**{"since": date(2026, 2, 1), **wrong})


def test_9_3_the_administrator_of_a_federation_is_the_last_one_that_it_designated(officer):
    told = {"federation": "nor", "name": "Berg, Anna", "since": "2025-01-01"}
    assert officer.post(admin_page(RatingAdministrator, "add"), told).status_code == 302
    RatingAdministrator.objects.create(federation="NOR", name="Dahl, Per", since=FIRST_DAY)
    administrators = RatingAdministrator.objects
    assert administrators.in_office("NOR", date(2024, 12, 31)) is None
    assert administrators.in_office("NOR", date(2026, 3, 13)).name == "Berg, Anna"
    assert administrators.in_office("NOR", FIRST_DAY).name == "Dahl, Per"
    assert administrators.in_office("POL", FIRST_DAY) is None
    tournament = four_players()
    assert "Dahl, Per" in words(officer.get(admin_page(tournament)))
    assert "Dahl" not in words(Client().get(tournament.get_absolute_url()))


def test_9_3_who_receives_a_report_is_told_if_the_federation_has_no_administrator():
    """The report is received all the same."""
    players = everybody_listed(2000, 1900, 1800, 1700)
    file = report(players, ROUNDS)

    def warned():
        asked = {"upload": [keep([file])], "sha256": [hashlib.sha256(file).hexdigest()], "source": ["x.trf"]}
        effect = preview(Proposal(kind=kind_of("receive-report"), parameters=asked))
        return [fact.label for fact in effect.warnings if "B.02 9.3" in fact.label]

    assert warned() == ["NOR hasn’t registered a rating administrator (B.02 9.3)."]
    RatingAdministrator.objects.create(federation="NOR", name="Dahl, Per", since=FIRST_DAY)
    assert warned() == []


def test_9_3_a_federation_has_the_code_that_fide_uses(officer):
    told = {"federation": "XYZ", "name": "Berg, Anna", "since": "2025-01-01"}
    assert "“XYZ” isn’t a FIDE federation code." in words(
        officer.post(admin_page(RatingAdministrator, "add"), told)
    )
