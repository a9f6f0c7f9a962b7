"""B.02 0.3, 0.4: rating fees of a tournament: owed, paid, and the last day to pay."""

from __future__ import annotations

from datetime import UTC, date, timedelta
from decimal import Decimal
from typing import Any, NamedTuple

from django.db.models import (
    Case,
    ExpressionWrapper,
    F,
    IntegerField,
    Min,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    Value,
    When,
)
from django.db.models.functions import Coalesce

from ratings.office.fields import hundredths
from ratings.otb.models import FeePayment, RatingFee, Tournament, TournamentReport
from ratings.rules.rounding import from_hundredths
from ratings.rules.units import Hundredths

_OWES = Q(
    status__in=(Tournament.Status.RECEIVED, Tournament.Status.RATED), announced_unrated=False, part_of=None
)
"""Condition for owing a fee: reported and not refused. A league rated period by period owes once."""


class Account(NamedTuple):
    """Fees of a tournament. Amounts in ``currency``, exact; ``due`` is the last day to pay.

    ``paid`` can be more than ``owed``: it stays registered when a tournament is refused.
    """

    owed: Decimal
    paid: Decimal
    currency: str
    due: date | None

    @property
    def open(self) -> Decimal:
        """Return the amount still to be paid; a negative one is to be refunded."""
        return self.owed - self.paid

    def is_overdue(self, today: date) -> bool:
        """Return whether the last day to pay has passed."""
        return self.open > 0 and self.due is not None and self.due < today


def with_fees(tournaments: QuerySet[Tournament]) -> QuerySet[Any]:
    """Annotate tournaments with what :func:`account_of` reads. Sums are whole hundredths."""
    fees = RatingFee.objects.filter(kind=OuterRef("kind"), since__lte=OuterRef("first_day")).order_by(
        "-since"
    )
    payments = FeePayment.objects.filter(tournament=OuterRef("pk")).order_by().values("tournament")
    reports = TournamentReport.objects.filter(tournament=OuterRef("pk")).order_by().values("tournament")

    def fee(column: str, field: Any = None) -> Subquery:
        return Subquery(fees.values(column)[:1], output_field=field or IntegerField())

    owed = ExpressionWrapper(
        fee("per_tournament") + fee("per_player") * Coalesce(F("report__players"), 0), IntegerField()
    )
    paid = Subquery(payments.annotate(sum=Sum(hundredths("amount"))).values("sum"), IntegerField())
    return tournaments.annotate(
        fee_owed=Coalesce(Case(When(_OWES, then=owed), default=Value(0)), 0),
        fee_paid=Coalesce(paid, 0),
        fee_currency=Subquery(fees.values("currency")[:1]),
        fee_days=fee("days"),
        fee_since=Subquery(reports.annotate(first=Min("received_at")).values("first")),
    )


def unpaid(tournaments: QuerySet[Tournament]) -> QuerySet[Any]:
    """Return tournaments that still owe something, the first report first."""
    return with_fees(tournaments).filter(fee_owed__gt=F("fee_paid"))


def account_of(row: Any) -> Account | None:
    """Return the account of a tournament of :func:`with_fees`; None if nothing is owed or paid."""
    if row.fee_currency is None or (not row.fee_owed and not row.fee_paid):
        return None
    due = None
    if row.fee_since is not None:
        due = row.fee_since.astimezone(UTC).date() + timedelta(days=row.fee_days)
    owed, paid = (from_hundredths(Hundredths(one)) for one in (row.fee_owed, row.fee_paid))
    return Account(owed, paid, row.fee_currency, due)


def account(tournament: Tournament) -> Account | None:
    """Return what this tournament owes."""
    row = with_fees(Tournament.objects.filter(pk=tournament.pk)).first()
    return None if row is None else account_of(row)
