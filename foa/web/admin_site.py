"""The admin as a site: its menu, its search, and the pages of other packages, which are the office's too."""

from __future__ import annotations

from functools import partial
from typing import Any, Final, NamedTuple, cast
from urllib.parse import urlencode

from django.contrib import admin
from django.contrib.admin.views.autocomplete import AutocompleteJsonView
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import get_script_prefix, path, reverse
from django.utils.text import capfirst
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _

from foa.web.admin import OfficeAdmin
from foa.web.menu import SEARCHED, Tab, by_work, tabs
from foa.web.typed import ModelAdmin

_FOUND: Final = 8
"""Objects of each list that the search of the header shows."""

_LONGEST_SEARCH: Final = 100

MENUS: Final = 100
"""So many menus are kept, of people with different rights or languages."""


class _Picks(AutocompleteJsonView):
    """Objects of a field that is searched while somebody types."""

    def serialize_result(self, obj: Any, to_field_name: str) -> dict[str, str]:
        """Under the label that a model has for picking, if it has one."""
        found = super().serialize_result(obj, to_field_name)
        return found | {"text": getattr(obj, "pick_label", found["text"])}


class _Row(NamedTuple):
    """An object that a search has found."""

    name: str
    address: str


class _Found(NamedTuple):
    """What a search has found in a list; ``more``: the list with all of it, if there is more."""

    name: str
    rows: list[_Row]
    more: str


class OfficeSite(admin.AdminSite):
    """The admin. Pages that come with other packages are the office's pages too."""

    site_title = site_header = index_title = _("Rating office")

    def __init__(self, name: str = "admin") -> None:
        super().__init__(name)
        self._menus: dict[tuple[object, ...], list[dict[str, Any]]] = {}

    def autocomplete_view(self, request: HttpRequest) -> HttpResponse:
        """What can be picked: namesakes are told apart by more than the name."""
        return cast(HttpResponse, _Picks.as_view(admin_site=self)(request))

    def register(self, model_or_iterable: Any, admin_class: Any = None, **options: Any) -> None:
        """Register the pages of a model, on top of which the office puts what all its pages share."""
        admin_class = admin_class or ModelAdmin
        if not issubclass(admin_class, OfficeAdmin):
            admin_class = type(admin_class.__name__, (OfficeAdmin, admin_class), {})
        super().register(model_or_iterable, admin_class, **options)

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[Any]:
        """What somebody may look at, by work; of one app as Django lists it.

        Every page shows it: it is made once for all who may do the same and read the same language.
        """
        if app_label:
            return super().get_app_list(request, app_label)
        may = tuple(
            pages.has_module_permission(request) and tuple(pages.get_model_perms(request).values())
            for pages in self._registry.values()
        )
        key = (get_language(), get_script_prefix(), may)
        menu = self._menus.get(key)
        if menu is None:
            if len(self._menus) >= MENUS:
                self._menus.clear()
            menu = self._menus[key] = by_work(super().get_app_list(request))
        return menu

    def get_urls(self) -> list[Any]:
        """Beside Django's own pages the search."""
        return [path("find/", self.admin_view(self.find_view), name="find"), *super().get_urls()]

    def find_view(self, request: HttpRequest) -> HttpResponse:
        """Show what a text finds in the lists that people search most; open it if it is the only thing."""
        text = request.GET.get("q", "").strip()[:_LONGEST_SEARCH].removeprefix("#")
        found = [one for one in map(partial(self._found, request, text), SEARCHED) if one and one.rows]
        if len(found) == 1 and len(found[0].rows) == 1:
            return HttpResponseRedirect(found[0].rows[0].address)
        context = {**self.each_context(request), "title": gettext("Search"), "text": text, "found": found}
        return TemplateResponse(request, "admin/find.html", context)

    def _found(self, request: HttpRequest, text: str, label: str) -> _Found | None:
        """Return the first objects of a list that somebody may see and a text finds."""
        pages = next((one for model, one in self._registry.items() if model._meta.label == label), None)
        if pages is None or not text or not pages.has_view_permission(request):
            return None
        rows, _may_repeat = pages.get_search_results(request, pages.get_queryset(request), text)
        name = f"{self.name}:{pages.opts.app_label}_{pages.opts.model_name}"
        some = list(rows[: _FOUND + 1])
        return _Found(
            capfirst(str(pages.opts.verbose_name_plural)),
            [_Row(str(one), reverse(f"{name}_change", args=(one.pk,))) for one in some[:_FOUND]],
            f"{reverse(f'{name}_changelist')}?{urlencode({'q': text})}" if len(some) > _FOUND else "",
        )

    def tabs(self, request: HttpRequest, label: str) -> list[Tab]:
        """Return the pages that belong together with that of a model, as far as somebody may see them."""
        return tabs(super().get_app_list(request), label)
