"""The page “About”."""

from __future__ import annotations

from typing import Any

from django.utils.decorators import method_decorator
from django.views.generic import TemplateView

from foa.web.caching import cached_for_visitors
from ratings.office.about import about_text, as_html, where_to_edit


@method_decorator(cached_for_visitors, name="dispatch")
class AboutView(TemplateView):
    """About the arena, its ratings and the office: how to join, contact, privacy, licence."""

    template_name = "office/about.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the text, and where those who may change it do so."""
        return super().get_context_data(
            text=as_html(about_text()), edit=where_to_edit(self.request.user), **kwargs
        )
