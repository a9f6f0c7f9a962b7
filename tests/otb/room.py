"""What the tests of the whole house ask for of the room for over-the-board tournaments."""

from datetime import timedelta

from ratings.otb.models import (
    AcceptedFinding,
    AssociationMember,
    FeePayment,
    OtbList,
    OtbListEntry,
    RatingAdministrator,
    RatingFee,
    Tournament,
    TournamentGame,
    TournamentPlayer,
    TournamentReport,
    TournamentResult,
)
from tests.arena import START


def furnish() -> None:
    """A tournament that is registered, one that is rated, its list, and who is on it."""
    day, number = START.date(), AssociationMember.objects.count() + 1
    Tournament.objects.create(name="Fjord Open", first_day=day, last_day=day + timedelta(days=2))
    rated_one = Tournament.objects.create(name="Fjord Masters", first_day=day, last_day=day)
    report = TournamentReport.objects.create(
        tournament=rated_one,
        source="masters.trf",
        content=b"012 Fjord Masters\n",
        sha256="0" * 64,
        received_at=START,
    )
    Tournament.objects.filter(pk=rated_one.pk).update(
        status=Tournament.Status.RATED, report=report, rated_for=day
    )
    AcceptedFinding.objects.create(tournament=rated_one, finds=2, reason="agreed", accepted_at=START)
    TournamentResult.objects.create(tournament=rated_one, number=1, name="Berg, Anna", outcome=1)
    TournamentPlayer.objects.create(tournament=rated_one, line=1, number=1, name="Berg, Anna", place=1)
    TournamentGame.objects.create(tournament=rated_one, round=1, white=1, colours="--", white_result="U")
    AssociationMember.objects.create(fide_id=number, association="IBCA")
    RatingFee.objects.create(kind=1, since=day + timedelta(days=number), currency="EUR")
    FeePayment.objects.create(tournament=rated_one, amount=1, paid_on=day, recorded_at=START)
    RatingAdministrator.objects.create(
        federation="NOR", name="Berg, Anna", since=day + timedelta(days=number)
    )
    otb_list = OtbList.objects.create(list_day=day, revision=number, published_at=START)
    OtbListEntry.objects.create(otb_list=otb_list, fide_id=number, name="Berg, Anna", folded="BERG, ANNA")
