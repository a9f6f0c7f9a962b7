"""RBB 1.4: the audit of published lists against what was published."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from foa.text import utc_text
from ratings.office.audit import Finding, audited
from ratings.rbb.lists.freezing import checksum_of, differing_members
from ratings.rbb.models import RatingList


@audited("list-checksums", "RBB 1.4", _("Published lists that differ from their checksum"))
def list_checksums() -> Iterator[Finding]:
    """Find lists whose lines don't match the published checksum."""
    for published in RatingList.objects.filter(withdrawn_at=None).order_by("pk"):
        if checksum_of(published) != published.checksum:
            yield Finding(
                f"list {published.pk}",
                gettext_noop(
                    "%(list)s: its lines don’t give its checksum. They were changed after it was published."
                ),
                {"list": _named(published)},
                published.get_absolute_url(),
                _revision_of(published),
            )


def _named(published: RatingList) -> str:
    """Name a list in the same way in every language."""
    if published.month is None:
        return f"{published.category.slug}, requested, {utc_text(published.as_of)}"
    return f"{published.category.slug} {published.month:%Y-%m}, revision {published.revision}"


def _revision_of(published: RatingList) -> tuple[str, Mapping[str, list[str]]] | None:
    """Return the decision for a revision if ratings or games differ: a published list never changes."""
    if published.month is None or published.superseded or not differing_members(published):
        return None
    month = f"{published.month:%Y-%m}"
    return "publish-lists", {"month": [month], "category": [published.category.slug], "revise": ["on"]}
