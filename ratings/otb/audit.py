"""What the audit holds against the rules over the board."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from ratings.formats.problems import FileRefused
from ratings.office.audit import Finding, audited
from ratings.otb.models import Tournament
from ratings.otb.services.leagues import parts_differ


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


@audited(
    "league-parts", "B.02 4.13", _("Leagues rated period by period with other parts than their reports give")
)
def league_parts(using: str) -> Iterator[Finding]:
    """Leagues of which a part is missing, too many, or has a report that is no extract of theirs."""
    leagues = Tournament.objects.using(using).filter(by_period=True).exclude(report=None)
    for one in leagues.order_by("pk").iterator():
        try:
            wrong = parts_differ(one, using)
        except FileRefused:
            wrong = True
        if wrong:
            yield Finding(
                f"tournament {one.pk}",
                gettext_noop("The parts of %(league)s are not those that its report gives (B.02 4.13)."),
                {"league": str(one)},
                one.get_absolute_url(),
                (
                    "replace-report",
                    {"tournament": [str(one.pk)], "report": [str(one.report_id)], "kind": [str(one.kind)]},
                ),
            )
