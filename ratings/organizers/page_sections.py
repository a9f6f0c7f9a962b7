"""The link to their tournaments in the header of every page, for users who may report any."""

from __future__ import annotations

from typing import Any

from ratings.office.page_sections import Page, PageSection, adds_to
from ratings.organizers.models import Scope


@adds_to(Page.HEADER)
def my_tournaments(user: Any) -> PageSection | None:
    """Return the link; None for users who have nothing to report."""
    return PageSection("organizers/_header.html", None) if Scope.objects.of(user).exists() else None
