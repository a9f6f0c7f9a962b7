"""B.02 0.3, 9.3: rating fees, what was paid, and the rating administrators of federations."""

from __future__ import annotations

from datetime import date
from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from foa.web.admin import OfficeAdmin
from ratings.otb.models import FeePayment, RatingAdministrator, RatingFee
from ratings.otb.services.fees import account
from ratings.rules.federations import FEDERATIONS


@admin.register(RatingFee)
class RatingFeeAdmin(OfficeAdmin[RatingFee]):
    """Fees for tournaments of each kind, with the first day of each."""

    list_display = ("kind", "since", "per_tournament", "per_player", "currency", "days")
    list_filter = ("kind",)
    sortable_by = ()


class PaymentForm(forms.ModelForm[FeePayment]):
    """Payments for tournaments."""

    def clean_paid_on(self) -> date:
        """Refuse a day in the future: the money has come."""
        paid_on: date = self.cleaned_data["paid_on"]
        if paid_on > timezone.now().date():
            raise ValidationError(_("This date is in the future. Record a payment once it has arrived."))
        return paid_on

    def clean_tournament(self) -> Any:
        """Refuse a tournament without a fee, which says the currency."""
        tournament = self.cleaned_data["tournament"]
        if account(tournament) is None:
            raise ValidationError(
                _(
                    "No rating fee is due for %(tournament)s. Check that we have its report, and a "
                    "rating fee for its kind and first day."
                ),
                params={"tournament": tournament},
            )
        return tournament


@admin.register(FeePayment)
class FeePaymentAdmin(OfficeAdmin[FeePayment]):
    """Payments received. They aren't edited: a wrong one is deleted and registered again."""

    form = PaymentForm
    fields = ("tournament", "amount", "paid_on", "paid_by")
    list_display = ("tournament", "amount", "paid_on", "paid_by", "recorded_at", "recorded_by")
    list_select_related = ("tournament", "recorded_by")
    autocomplete_fields = ("tournament",)
    date_hierarchy = "paid_on"
    sortable_by = ()
    search_fields = ("tournament__name",)
    search_help_text = _("Part of the tournament’s name")

    def get_fields(self, request: HttpRequest, obj: FeePayment | None = None) -> Any:
        """Return the fields; for a stored payment also who registered it, and when."""
        return self.fields if obj is None else (*self.fields, "recorded_at", "recorded_by")

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """Suggest today."""
        return {"paid_on": timezone.now().date(), **super().get_changeform_initial_data(request)}

    def has_change_permission(self, request: HttpRequest, obj: FeePayment | None = None) -> bool:
        """Refuse: a wrong payment is deleted and registered again."""
        return False

    def save_model(self, request: HttpRequest, obj: FeePayment, form: Any, change: bool) -> None:
        """Store the payment with who registered it, and when."""
        obj.recorded_at, obj.recorded_by = timezone.now(), request.user
        super().save_model(request, obj, form, change)


class AdministratorForm(forms.ModelForm[RatingAdministrator]):
    """A rating administrator whom a federation has designated."""

    def clean_federation(self) -> str:
        """Refuse a code that FIDE doesn't use."""
        code: str = self.cleaned_data["federation"].strip().upper()
        if code not in FEDERATIONS:
            raise ValidationError(_("“%(code)s” isn’t a FIDE federation code."), params={"code": code})
        return code


@admin.register(RatingAdministrator)
class RatingAdministratorAdmin(OfficeAdmin[RatingAdministrator]):
    """The register of rating administrators. The latest of a federation is in office."""

    form = AdministratorForm
    list_display = ("federation", "name", "since")
    sortable_by = ()
    search_fields = ("federation", "name")
    search_help_text = _("A federation code, or part of a name")
