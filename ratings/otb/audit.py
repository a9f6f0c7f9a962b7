"""Audit of tournaments against the rules over the board."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from ratings.formats.problems import FileRefused
from ratings.office.audit import Finding, audited
from ratings.otb.citations import cited, edition_of_list
from ratings.otb.models import OtbList, Tournament
from ratings.otb.services.checking import Differs, overdue, wrong_results
from ratings.otb.services.files import checksum
from ratings.otb.services.leagues import parts_differ
from ratings.otb.services.standings import edition_of, edition_on
from ratings.rules.b02.time_controls import Chapter
from ratings.rules.b02.types import Topic

_NAMED = 20
"""Maximum number of start numbers that a finding names."""


@audited("tournament-results", "B.02 8", _("Tournament results that the report doesn’t give"))
def tournament_results() -> Iterator[Finding]:
    """B.02 8: stored results beside those of report and lists."""
    for one in wrong_results():
        yield _results(one)


def _name(tournament: Tournament) -> str:
    """Return the name and first day, which read the same in every language."""
    return f"{tournament.name} ({tournament.first_day})"


def _once_more(tournament: Tournament) -> tuple[str, dict[str, list[str]]]:
    """Return the decision to take the same report again: its period and every later one are rated again."""
    asked = {"tournament": tournament.pk, "report": tournament.report_id, "kind": tournament.kind}
    return "replace-report", {name: [str(value)] for name, value in asked.items()}


def _results(one: Differs) -> Finding:
    tournament = one.tournament
    words = {"tournament": _name(tournament), "number": str(tournament.pk)}
    if one.unreadable:
        text = gettext_noop("Tournament %(number)s, %(tournament)s: the report can’t be read: %(reason)s.")
        words["reason"] = one.unreadable
    elif not one.numbers:
        text = gettext_noop(
            "Tournament %(number)s, %(tournament)s: rated for %(day)s, but there is no list of this day."
        )
        words["day"] = str(tournament.rated_for)
    else:
        text = gettext_noop(
            "Tournament %(number)s, %(tournament)s: %(many)s stored results aren’t what the report and the"
            " lists give. Start numbers: %(numbers)s."
        )
        more = ", …" if len(one.numbers) > _NAMED else ""
        words["many"] = str(len(one.numbers))
        words["numbers"] = ", ".join(map(str, one.numbers[:_NAMED])) + more
    mends = None
    if one.numbers and tournament.report_id is not None:
        mends = _once_more(tournament)
    return Finding(f"tournament {tournament.pk}", text, words, tournament.get_absolute_url(), mends)


@audited(
    "over-the-board-lists", "B.02 7.1", _("Over-the-board lists whose checksum isn’t that of their lines")
)
def list_checksums() -> Iterator[Finding]:
    """Yield published lists that differ from how they were published."""
    for one in OtbList.objects.order_by("list_day", "chapter", "revision").iterator():
        found = checksum(one)
        if found != one.checksum:
            text = gettext_noop(
                "The over-the-board list of %(day)s, revision %(revision)s, was published with the checksum"
                " %(published)s. Its lines now give %(found)s."
            )
            words = {
                "day": str(one.list_day),
                "revision": str(one.revision),
                "published": one.checksum,
                "found": found,
            }
            yield Finding(f"list {one.key}", text, words, one.get_absolute_url())


@audited("editions-of-lists", "B.02 0.1", _("Over-the-board lists that another edition would rate now"))
def editions() -> Iterator[Finding]:
    """Yield lists that the settings put under other regulations than those that they were made by."""
    for one in OtbList.objects.published().order_by("list_day", "chapter", "revision"):
        was, now = edition_of_list(one), edition_on(one.list_day, one.chapter)
        if not now.rates_again(was):
            text = gettext_noop(
                "The over-the-board list of %(day)s was published under %(was)s, and"
                " OTB_REGULATIONS_2024_SINCE puts it under %(now)s. Set another day."
            )
            words = {"day": str(one.list_day), "was": was.name, "now": now.name}
            yield Finding(f"list {one.key}", text, words, one.get_absolute_url())


@audited("overdue-reports", "B.02 7.13", _("Reports that are on no list although its day has come"))
def overdue_reports() -> Iterator[Finding]:
    """B.02 7.13: reports that nothing keeps from being rated."""
    today = timezone.now().date()
    for tournament, due in overdue(today):
        text = gettext_noop(
            "Tournament %(number)s, %(tournament)s: received and not rated, though it belongs on the list of"
            " %(day)s."
        )
        words = {"number": str(tournament.pk), "tournament": _name(tournament), "day": str(due)}
        parameters = {"until": [str(due)]}
        if tournament.chapter != Chapter.STANDARD:
            parameters["chapter"] = [Chapter(tournament.chapter).slug]
        mends = ("close-period", parameters) if due <= today else None
        yield Finding(f"tournament {tournament.pk}", text, words, tournament.get_absolute_url(), mends)


@audited("announced-unrated", "B.02 9.2", _("Tournaments that were announced as not rated, and rated"))
def announced_unrated() -> Iterator[Finding]:
    """Rated tournaments, and rated parts of leagues, that were announced as not rated."""
    wrong = Tournament.objects.filter(
        Q(announced_unrated=True) | Q(part_of__announced_unrated=True), status=Tournament.Status.RATED
    )
    for one in wrong.order_by("pk").iterator():
        yield Finding(
            f"tournament {one.pk}",
            gettext_noop(
                "%(tournament)s was announced as not rated, and is rated for the list of %(day)s (B.02 9.2)."
            ),
            {"tournament": _name(one), "day": str(one.rated_for)},
            one.get_absolute_url(),
            ("announce-unrated", {"tournament": [str(one.part_of_id or one.pk)]}),
        )


@audited(
    "league-parts", "B.02 4.13", _("Leagues rated period by period with other parts than their reports give")
)
def league_parts() -> Iterator[Finding]:
    """Leagues of which a part is missing, too many, or has a report that is no extract of theirs."""
    leagues = Tournament.objects.filter(by_period=True).exclude(report=None)
    for one in leagues.order_by("pk").iterator():
        try:
            wrong = parts_differ(one)
        except FileRefused:
            wrong = True
        if wrong:
            yield Finding(
                f"tournament {one.pk}",
                gettext_noop("The parts of %(league)s are not those that its report gives%(article)s."),
                {"league": str(one), "article": cited(edition_of(one), Topic.LIST_IN_FORCE)},
                one.get_absolute_url(),
                _once_more(one),
            )
