"""The admin site: its menu, its search, and the pages of other packages."""

from __future__ import annotations

from functools import partial
from typing import Any, Final, NamedTuple, cast
from urllib.parse import urlencode

from django.contrib import admin
from django.contrib.admin import ModelAdmin
from django.contrib.admin.views.autocomplete import AutocompleteJsonView
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import get_script_prefix, path, reverse
from django.utils.text import capfirst
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _

from foa.text import NOTHING
from foa.web.admin import OfficeAdmin
from foa.web.menu import Tab, by_work, searched, tabs
from foa.web.posted import only_posted

_FOUND: Final = 8
"""Maximum number of objects of each list that the header's search shows."""

_LONGEST_SEARCH: Final = 100

MENUS: Final = 100
"""Maximum number of cached menus, one for each set of permissions and language."""


class _Picks(AutocompleteJsonView):
    """Results of an autocomplete field."""

    def serialize_result(self, obj: Any, to_field_name: str) -> dict[str, str]:
        """Use the model's ``pick_label``, if it has one, and its ``pick_name`` as the key if asked for."""
        found = super().serialize_result(obj, to_field_name)
        if "named" in self.request.GET and hasattr(obj, "pick_name"):
            found["id"] = obj.pick_name
        return found | {"text": getattr(obj, "pick_label", found["text"])}


class _Row(NamedTuple):
    """Object found by a search."""

    name: str
    address: str


class _Found(NamedTuple):
    """Results of a search in one list; ``more`` is the address of all results, if there are more."""

    name: str
    rows: list[_Row]
    more: str


class OfficeSite(admin.AdminSite):
    """Admin site. Pages of other packages also get the base class of the office's pages."""

    site_title = site_header = index_title = _("Rating office")
    empty_value_display = NOTHING

    def __init__(self, name: str = "admin") -> None:
        super().__init__(name)
        self._menus: dict[tuple[object, ...], list[dict[str, Any]]] = {}

    def logout(self, request: HttpRequest, extra_context: Any = None) -> Any:
        """Log out by POST alone."""
        return only_posted("admin:index")(super().logout)(request, extra_context)

    def autocomplete_view(self, request: HttpRequest) -> HttpResponse:
        """Answer with the matching objects, labelled so that namesakes can be told apart."""
        return cast(HttpResponse, _Picks.as_view(admin_site=self)(request))

    def register(self, model_or_iterable: Any, admin_class: Any = None, **options: Any) -> None:
        """Register the pages of a model, with OfficeAdmin as a base class."""
        admin_class = admin_class or ModelAdmin
        if not issubclass(admin_class, OfficeAdmin):
            admin_class = type(admin_class.__name__, (OfficeAdmin, admin_class), {})
        super().register(model_or_iterable, admin_class, **options)

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[Any]:
        """Return the menu entries that the user may see, by kind of work; for one app Django's own list.

        Every page shows the menu, so it is cached for each set of permissions and language.
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
        """Add the search to Django's pages."""
        return [path("find/", self.admin_view(self.find_view), name="find"), *super().get_urls()]

    def find_view(self, request: HttpRequest) -> HttpResponse:
        """Search the most used lists for a text; a single result is opened at once."""
        text = request.GET.get("q", "").strip()[:_LONGEST_SEARCH].removeprefix("#")
        found = [one for one in map(partial(self._found, request, text), searched()) if one and one.rows]
        if len(found) == 1 and len(found[0].rows) == 1:
            return HttpResponseRedirect(found[0].rows[0].address)
        context = {**self.each_context(request), "title": gettext("Search"), "text": text, "found": found}
        return TemplateResponse(request, "admin/find.html", context)

    def _found(self, request: HttpRequest, text: str, label: str) -> _Found | None:
        """Return the first objects of a list that match; None without a text or permission."""
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
        """Return the tabs of a model's menu entry that the user may see."""
        return tabs(super().get_app_list(request), label)
