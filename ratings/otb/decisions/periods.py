"""B.02 7.13: closing a rating period."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import override

from foa.said import gettext
from foa.text import date_text
from foa.web.days import DayInput
from ratings.formats.frl import YEARS_OF_LISTS
from ratings.formats.problems import FileRefused
from ratings.office.decision_types import Decision, Parameters, register
from ratings.office.effects import Effect, Fact, Sentence
from ratings.otb.citations import cited, edition_of_list
from ratings.otb.decisions.base import (
    OtbKind,
    chapter_field,
    findings_link,
    list_fact,
    moves_of,
    moves_of_revisions,
    revisions_of,
)
from ratings.otb.findings import FindingRow, Shown, cut_short, finding_rows
from ratings.otb.models import CHAPTER_NAMES, OtbList, Tournament
from ratings.otb.services.period_closing import close_period
from ratings.otb.services.publishing import Closing, NothingToClose
from ratings.otb.services.rating import RatedTournament
from ratings.otb.services.scale import ScaleReport, scale_report
from ratings.otb.services.standings import edition_of
from ratings.rules.b02.k_factor import most_games, too_many_games
from ratings.rules.b02.time_controls import Chapter
from ratings.rules.b02.types import Topic

_NAMED: Final = 100
"""Maximum number of refused tournaments that the job's page names."""


class ClosingForm(forms.Form):
    """Form for the chapter of a period, and the day until which reports count."""

    chapter = chapter_field(required=False)
    until = forms.DateField(
        label=_("Until"),
        initial=lambda: timezone.now().date(),
        widget=DayInput(),
        help_text=_("We close the latest period that has ended by this day."),
    )

    def clean_chapter(self) -> Chapter:
        """Return the chosen chapter, or standard."""
        return self.cleaned_data["chapter"] or Chapter.STANDARD

    def clean_until(self) -> date:
        """Refuse an impossible day; the service says if nothing can be closed by then."""
        until: date = self.cleaned_data["until"]
        if until.year not in YEARS_OF_LISTS:
            raise ValidationError(_("No period can be closed on this day."))
        return until


@dataclass(frozen=True, slots=True)
class ClosedPeriod:
    """A closed period; a preview has tables of players and of tournaments that aren't rated.

    ``report``: B.02 10.3, 12.3. ``not_rated``: each with True if it is refused, False if it waits for the
    next list, and why.
    """

    closing: Closing
    report: ScaleReport | None = None
    lines: Shown | None = None
    not_rated: tuple[tuple[Tournament, bool, list[FindingRow]], ...] = ()

    @property
    def new(self) -> int:
        """Return how many players of the period are new on the list."""
        return sum(line.before is None for line in self.closing.lines)

    @property
    def delisted(self) -> int:
        """Return how many players of the period are delisted (7.21)."""
        return sum(line.after is None for line in self.closing.lines)


@register
class ClosePeriod(OtbKind):
    """Decision to rate all tournaments received in time and publish their list, for good."""

    name = "close-period"
    title = _("Close a rating period")
    button = _("Close the period and publish the list")
    permission = "otb.close_otblist"
    form = ClosingForm
    as_job = True
    asks_reason = False
    template = "admin/otb/otblist/_closing.html"

    def heading(self, asked: Mapping[str, Any]) -> str:
        """Return the day, and the chapter where it isn't standard."""
        told = gettext("Close the rating period ending on %(day)s")
        return _closing(told, asked["chapter"], asked["until"])

    def subject(self, asked: Mapping[str, Any]) -> str:
        """Return the day, and the chapter where it isn't standard."""
        with override("en"):
            return _closing("%(day)s", asked["chapter"], asked["until"])

    def public_heading(self, parameters: Parameters) -> str:
        """Return the day, and the chapter where it isn't standard."""
        told = gettext("Over-the-board rating period ending on %(day)s closed")
        slug = parameters.get("chapter", [""])[0]
        chapter = next((one for one in Chapter if one.slug == slug), Chapter.STANDARD)
        return _closing(told, chapter, date.fromisoformat(parameters["until"][0]))

    def apply(self, decision: Decision) -> Effect:
        """Rate one tournament after the other, then write the list."""

        def progress(done: int, total: int) -> None:
            doing = gettext(
                "Tournaments rated: %(done)d of %(total)d. We’ll publish the list when all are done."
            )
            decision.tell(done, total, doing % {"done": done, "total": total})

        try:
            closing = close_period(
                until=decision.asked["until"],
                chapter=decision.asked["chapter"],
                at=decision.at,
                by=decision.by,
                progress=progress,
            )
        except NothingToClose as refusal:
            told = gettext("Nothing to close: %(reason)s.")
            raise ValidationError(told % {"reason": refusal}) from refusal
        except FileRefused as refusal:
            told = gettext("A report can’t be read any more: %(reason)s.")
            raise ValidationError(told % {"reason": refusal}) from refusal
        result = ClosedPeriod(closing)
        if decision.looked_at:
            result = ClosedPeriod(
                closing,
                scale_report(closing.otb_list),
                cut_short(closing.lines),
                tuple(map(_not_rated, closing.refused)),
            )
        revised = revisions_of(closing.revised)
        return Effect(
            moves=[
                *moves_of(
                    closing.otb_list.chapter,
                    ((line.fide_id, line.before, line.after) for line in closing.lines),
                ),
                *moves_of_revisions(revised),
            ],
            facts=[
                *_lists(closing.otb_list),
                *(one.fact for one in revised),
                *map(_rated, closing.rated),
                *map(_left_out, closing.refused),
                *map(_incomplete, closing.incomplete),
                *map(_expected, closing.expected),
                *_many_games(closing),
            ],
            outcome=[*_told(closing), *(one.told for one in revised)],
            objects=[closing.otb_list, *closing.revised],
            result=result,
        )


def _closing(told: str, chapter: Chapter, until: date) -> str:
    text = told % {"day": date_text(until)}
    return text if chapter == Chapter.STANDARD else f"{text}, {CHAPTER_NAMES[chapter]}"


def _lists(otb_list: OtbList) -> list[Fact]:
    """Return the list of the period, and those of FIDE that were taken over with it."""
    facts = [list_fact(otb_list, str(otb_list))]
    taken = OtbList.objects.exclude(taken_from=None).filter(published_at=otb_list.published_at)
    for one in taken.order_by("chapter"):
        told = gettext("%(list)s, imported from %(fide_list)s")
        facts.append(list_fact(one, told % {"list": one, "fide_list": one.taken_from}))
    return facts


def _rated(tournament: Tournament) -> Fact:
    return Fact("inputs", f"tournament {tournament.pk}", str(tournament), "received", tournament.status_slug)


def _left_out(rated: RatedTournament) -> Fact:
    """Return a warning for a tournament that is refused or waits, with the articles."""
    # A stage without a fault of its own waits with the others (6.2).
    tournament, edition = rated.tournament, rated.edition
    articles = sorted({edition.article(one.finds) for one in rated.refusals})
    key = f"tournament {tournament.pk}"
    told = f" ({edition.cited_as} {'; '.join(articles)})" if articles else cited(edition, Topic.STAGES)
    why = tournament.status_slug + told
    if tournament.status == Tournament.Status.REFUSED:
        return Fact("inputs", key, str(tournament), "received", why)
    told = gettext("Not rated; waiting for the next list: %(tournament)s.") % {"tournament": tournament}
    return Fact("warnings", key, told, after=why)


def _incomplete(tournament: Tournament) -> Fact:
    """Warn of a stage that waits for the report of another one (2009: 6.2)."""
    article = cited(edition_of(tournament), Topic.STAGES)
    told = gettext("Not rated; waiting for the reports of its other stages%(article)s: %(tournament)s.")
    words = {"tournament": tournament, "article": article}
    key = f"tournament {tournament.pk}"
    return Fact("warnings", key, told % words, after=f"received{article}")


def _expected(tournament: Tournament) -> Fact:
    """B.02 7.13: warn of an official event that can still enter the list."""
    told = gettext(
        "No report yet for %(tournament)s, an official event that ends on %(day)s, before the "
        "list. A report received before the list date will be rated for it, in a new "
        "revision%(article)s."
    )
    article = cited(edition_of(tournament), Topic.CLOSING_DAY)
    words = {"article": article, "tournament": tournament, "day": date_text(tournament.last_day)}
    key = f"tournament {tournament.pk}"
    return Fact("warnings", key, told % words, after=f"registered{article} {tournament.last_day}")


def _many_games(closing: Closing) -> Iterator[Fact]:
    """B.02 12.3: warn of players with more rated games than their K allows for."""
    if not edition_of_list(closing.otb_list).has(Topic.MANY_GAMES):
        return
    for line in closing.lines:
        if line.k is not None and too_many_games(line.before, line.k, line.games):
            text = gettext(
                "%(name)s has %(games)d rated games. With K = %(k)d, a rating stays reliable up to "
                "%(most)d games in a period (B.02 "
                "12.3)."
            )
            words = {"name": line.name, "games": line.games, "k": line.k, "most": most_games(line.k)}
            yield Fact("warnings", f"games of {line.fide_id}", text % words, after=str(line.games))


def _not_rated(rated: RatedTournament) -> tuple[Tournament, bool, list[FindingRow]]:
    rows = [row for row in finding_rows(rated) if row.refuses and row.accepted is None]
    return rated.tournament, rated.tournament.status == Tournament.Status.REFUSED, rows


def _told(closing: Closing) -> list[Sentence]:
    otb_list = closing.otb_list
    named = {
        "list": otb_list,
        "rated": len(closing.rated),
        "players": otb_list.players,
        "new": otb_list.new_players,
        "delisted": otb_list.delisted,
    }
    text = gettext(
        "%(list)s is published. Tournaments rated: %(rated)d. Players: %(players)d, new: %(new)d, delisted:"
        " %(delisted)d."
    )
    told = [Sentence(text % named, ((gettext("List"), otb_list.get_absolute_url()),))]
    for rated in closing.refused[:_NAMED]:
        text = (
            gettext("Refused: %(tournament)s.")
            if rated.tournament.status == Tournament.Status.REFUSED
            else gettext("Not rated; waiting for the next list: %(tournament)s.")
        )
        told.append(Sentence(text % {"tournament": rated.tournament}, findings_link(rated.tournament)))
    if more := len(closing.refused[_NAMED:]):
        told.append(Sentence(gettext("… and %(more)d more.") % {"more": more}))
    return told
