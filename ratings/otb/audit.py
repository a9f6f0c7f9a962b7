"""What the audit holds against the rules over the board."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from ratings.office.audit import Finding, audited
from ratings.otb.models import Tournament


@audited("announced-unrated", "B.02 9.2", _("Tournaments that were announced as not rated, and rated"))
def announced_unrated(using: str) -> Iterator[Finding]:
    """Rated tournaments, and rated parts of leagues, that were announced as not rated."""
    wrong = Tournament.objects.using(using).filter(
        Q(announced_unrated=True) | Q(part_of__announced_unrated=True), status=Tournament.Status.RATED
    )
    for one in wrong.order_by("pk").iterator():
        yield Finding(
            f"tournament {one.pk}",
            gettext_noop(
                "%(tournament)s was announced as not rated, and is rated for the list of %(day)s (B.02 9.2)."
            ),
            {"tournament": str(one), "day": str(one.rated_for)},
            one.get_absolute_url(),
            ("announce-unrated", {"tournament": [str(one.part_of_id or one.pk)]}),
        )
