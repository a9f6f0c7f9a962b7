"""Remarks on a report and its players, apart from the findings of B.02, each with its line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from typing import Any

from django.utils.translation import gettext

from foa.text import date_text
from ratings.formats.problems import Remark, shown
from ratings.formats.trf import Player
from ratings.formats.trf import Tournament as Report
from ratings.formats.trf.scoring import points_text
from ratings.otb.citations import cited
from ratings.otb.models import Tournament
from ratings.otb.services.identity import has_same_family_name, is_alike
from ratings.otb.services.places import contradicting_ranks
from ratings.otb.services.rating import Participant
from ratings.otb.services.standings import OnList
from ratings.rules.b02.editions.b02_2009 import Edition
from ratings.rules.b02.types import Topic, TournamentType


def on_end(tournament: Tournament, report: Report, today: date) -> Iterator[Remark]:
    """Yield a remark if a tournament isn't over yet. A league rated in parts is reported as it goes on."""
    if tournament.last_day > today and not tournament.by_period:
        line = next((record.line for record in report.headers if record.tag == "052"), 1)
        text = gettext("ends on %(day)s, which is in the future")
        yield Remark(line, text % {"day": date_text(tournament.last_day)})


def on_ranks(tournament: Tournament, report: Report) -> Iterator[Remark]:
    """Yield a remark if ranks contradict the points, so that places follow from points and tie-breaks."""
    found = contradicting_ranks(TournamentType(tournament.kind), report.players)
    if found is not None:
        better, other = found
        text = gettext(
            "rank %(rank)d with %(points)s points, but rank %(better)d on line %(line)d has %(fewer)s; no "
            "rank of this report is used"
        )
        yield Remark(
            other.line,
            text
            % {
                "rank": other.rank,
                "points": points_text(other.points),
                "better": better.rank,
                "line": better.line,
                "fewer": points_text(better.points),
            },
        )


def on_namesakes(others: Iterable[Tournament]) -> Iterator[Remark]:
    """Yield a remark for each tournament of the same name and day in another chapter."""
    text = gettext(
        "%(tournament)s already exists in %(chapter)s as number %(number)d; this is treated as a "
        "different tournament. If this report corrects the earlier one, replace that one instead"
    )
    for one in others:
        words = {"tournament": one, "chapter": one.get_chapter_display(), "number": one.pk}
        yield Remark(1, text % words)


def on_players(participants: Iterable[Participant], edition: Edition) -> Iterator[Remark]:
    """Yield remarks where the report and the list in force differ about a player."""
    for participant in participants:
        for text in _remarks(participant, edition):
            yield Remark(participant.reported.line, text)


def _remarks(participant: Participant, edition: Edition) -> Iterator[str]:
    reported, listed = participant.reported, participant.listed
    values: dict[str, Any] = {"fide_id": reported.fide_id, "reported": reported.rating}
    values["article"] = cited(edition, Topic.LIST_IN_FORCE)
    if reported.fide_id is None:
        # That the result can't count for a first rating is found by the rules.
        yield gettext("no FIDE ID: rated as a new player")
    elif participant.is_seeded:
        text = gettext(
            "no rating on the list in force: the standard rating on that day, %(standard)d, is used "
            "(B.02 RB (2024) 7.2.1)"
        )
        yield text % {"standard": participant.player.rating}
    elif listed is None:
        yield (
            gettext("FIDE ID %(fide_id)d is not on the list in force: rated as a new player") % values
            if reported.rating is None
            else gettext(
                "FIDE ID %(fide_id)d is not on the list in force: rated as a new player; the rating in "
                "the report, %(reported)d, is not used%(article)s"
            )
            % values
        )
    else:
        values["listed"] = listed.standing.rating
        if listed.standing.rating is None and reported.rating is not None:
            yield (
                gettext(
                    "rated %(reported)d in the report, but unrated on the list in force: rated as a "
                    "new player%(article)s"
                )
                % values
            )
        elif listed.standing.rating is not None and reported.rating is None:
            yield (
                gettext(
                    "unrated in the report, but rated %(listed)d on the list in force, which is "
                    "used%(article)s"
                )
                % values
            )
        elif listed.standing.rating != reported.rating:
            yield (
                gettext(
                    "rated %(reported)d in the report, but %(listed)d on the list in force, which is "
                    "used%(article)s"
                )
                % values
            )
    if listed is not None:
        yield from _on_identity(reported, listed)


def _on_identity(reported: Player, listed: OnList) -> Iterator[str]:
    """Yield signs that a FIDE ID is another player's: the spelling of the name, or the year of birth.

    A completely different name is a finding of the rules.
    """
    values: dict[str, Any] = {"fide_id": reported.fide_id}
    is_other = reported.name and not is_alike(reported.name, listed.name)
    if not is_other and not has_same_family_name(reported.name, listed.name):
        values |= {"here": shown(reported.name), "there": shown(listed.name)}
        yield (
            gettext("the name is %(here)s in the report, but %(there)s on the list for FIDE ID %(fide_id)d")
            % values
        )
    if reported.birth_year and listed.birth_year and reported.birth_year != listed.birth_year:
        values |= {"here": reported.birth_year, "there": listed.birth_year}
        text = gettext(
            "the year of birth is %(here)d in the report, but %(there)d on the list for FIDE ID "
            "%(fide_id)d; the list’s is used"
        )
        yield text % values
