"""Fields of filters for what is known of members."""

from __future__ import annotations

from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _
from django_filters import CharFilter, ChoiceFilter

from foa.web.listing import ANY
from foa.web.suggestions import SearchInput
from members.flags import code_of
from members.models import TITLES

# django_filters has no type stubs, so a class of its is of type Any to mypy: hence `misc` below.


class MemberTextFilter(CharFilter):  # type: ignore[misc]
    """Search field for a name, a username or a FIDE ID.

    ``pick``: the parameter of the list for exactly one member, to which a suggestion leads; without it, it
    leads to the member.
    """

    def __init__(self, *, pick: str = "", **kwargs: Any) -> None:
        picks = {"data-pick": pick} if pick else {}
        widget = SearchInput("members", placeholder=_("Name, username or FIDE ID"), **picks)
        super().__init__(label=_("Member"), max_length=100, widget=widget, **kwargs)


NO_FEDERATION: Final = _("No federation is called “%(text)s”. Use its name or FIDE’s code, such as NOR.")


class _FederationField(forms.CharField):
    def clean(self, value: Any) -> str:
        """Return FIDE's code; raise ValidationError for an unknown federation."""
        text: str = super().clean(value)
        code = code_of(text) if text else ""
        if code is None:
            raise ValidationError(NO_FEDERATION, params={"text": text})
        return code


class FederationFilter(CharFilter):  # type: ignore[misc]
    """Field for a federation: its name, or FIDE's three-letter code."""

    field_class = _FederationField

    def __init__(self, **kwargs: Any) -> None:
        attrs = {"placeholder": _("Norway or NOR")}
        super().__init__(label=_("Federation"), max_length=60, widget=forms.TextInput(attrs=attrs), **kwargs)


class TitleFilter(ChoiceFilter):  # type: ignore[misc]
    """Choice of a title, highest first."""

    def __init__(self, **kwargs: Any) -> None:
        titles = [(title, title) for title in TITLES]
        super().__init__(empty_label=ANY, label=_("Title"), choices=titles, **kwargs)


class YesFilter(ChoiceFilter):  # type: ignore[misc]
    """Choice of "yes" or any row; the method finds the rows for "yes"."""

    def __init__(self, label: object, method: str) -> None:
        super().__init__(empty_label=ANY, label=label, choices=[("yes", _("yes"))], method=method)
