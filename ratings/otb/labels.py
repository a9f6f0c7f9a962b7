"""Translated labels of B.02's enums."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext_lazy
from django.utils.translation import gettext_lazy as _

from foa.text import date_text
from ratings.formats.trf.time_controls import stages_of
from ratings.rbb.labels import half_points_text
from ratings.rules.b02.editions.b02_2009 import Edition
from ratings.rules.b02.findings import Finding, Finds, Severity
from ratings.rules.b02.first_ratings import Publication
from ratings.rules.b02.types import Outcome


def edition_text(reason: Outcome | Publication, edition: Edition) -> str:
    """Return an edition's text for an outcome, translated."""
    return gettext(edition.text(reason))


SEVERITY_NAMES: Final[dict[Severity, Promise]] = {
    Severity.NOTE: _("note"),
    Severity.REFUSAL: _("refusal"),
}

_SENTENCES: Final[dict[Finds, Promise]] = {
    Finds.NOT_REGISTERED: _("The tournament was not registered"),
    Finds.REGISTERED_LATE: ngettext_lazy(
        "Registered on %(day)s, %(found)d day before the tournament; it must be registered a month "
        "(%(needed)d days) ahead",
        "Registered on %(day)s, %(found)d days before the tournament; it must be registered a month "
        "(%(needed)d days) ahead",
        "found",
    ),
    Finds.CONTROL_UNKNOWN: _("The time control isn’t known, so it couldn’t be checked"),
    Finds.TOO_FAST: ngettext_lazy(
        "With %(found)d minute for 60 moves, the players have too little time: the highest-rated is "
        "%(player)s, so each must have %(needed)d minutes",
        "With %(found)d minutes for 60 moves, the players have too little time: the highest-rated is "
        "%(player)s, so each must have %(needed)d minutes",
        "found",
    ),
    Finds.DAYS_UNKNOWN: _(
        "The dates of the rounds aren’t known, so rounds and hours per day couldn’t be checked"
    ),
    Finds.TOO_MANY_ROUNDS: _("%(found)d rounds were played on %(day)s; at most %(needed)d are allowed"),
    Finds.TOO_MANY_HOURS: _(
        "The rounds on %(day)s can last %(found)s hours in total; at most %(needed)s are allowed"
    ),
    Finds.TOO_LONG: _(
        "The tournament lasts %(found)d days; more than %(needed)d days need the approval of the "
        "chairman of FIDE’s Qualification Commission (4.12)"
    ),
    Finds.NOT_PLAYED: _(
        "Round %(round)d: the game between %(player)s and %(opponent)s was not played, so it is not rated"
    ),
    Finds.ZERO_SCORE: _(
        "%(player)s, who has no rating, scored no points, so the result is left out (in a round "
        "robin, all their games are)"
    ),
    Finds.FEW_RATED: _(
        "A round robin of this size needs at least %(needed)d rated players (a third); this one has %(found)d"
    ),
    Finds.FEW_RATED_SMALL: _(
        "A round robin of fewer than ten players needs at least %(needed)d rated players; this one has "
        "%(found)d"
    ),
    Finds.SMALL_DOUBLE: _(
        "A double round robin with new players needs at least %(needed)d players; this one has %(found)d"
    ),
    Finds.FEW_RATED_NATIONAL: _(
        "A national championship needs at least %(needed)d rated players; this one has %(found)d"
    ),
    Finds.FEW_GAMES: _(
        "%(player)s has no rating and too few games against rated players: %(found)d. A first "
        "result needs at least %(needed)d, so this one is left out"
    ),
    Finds.FEW_POINTS: _(
        "%(player)s has no rating and too few points: %(found)s. A first result needs at least "
        "%(needed)s, so this one is left out"
    ),
    Finds.BELOW_FLOOR: _(
        "%(player)s’s first result, %(found)d, is below the lowest published rating, %(needed)d, "
        "so it is left out"
    ),
    Finds.GAMES_MISSING: ngettext_lazy(
        "%(found)d game of the round robin was not played, so it is rated as a Swiss",
        "%(found)d games of the round robin were not played, so it is rated as a Swiss",
        "found",
    ),
    Finds.MATCH_DECIDED: _(
        "Round %(round)d: the match between %(player)s and %(opponent)s was already decided, so the "
        "game is not "
        "rated"
    ),
    Finds.NOT_TWO_PLAYERS: _("A match is between %(needed)d players; this one has %(found)d"),
    Finds.MATCH_UNRATED: _("%(player)s has no rating, so no game of the match is rated"),
    Finds.NO_FIDE_ID: _(
        "%(player)s has neither a rating nor a FIDE ID, so the result can’t count for a first rating. Add the"
        " FIDE ID to the report and replace it"
    ),
    Finds.FIRST_CONTROL: ngettext_lazy(
        "The first time control is after %(found)d move; %(needed)d moves are advised",
        "The first time control is after %(found)d moves; %(needed)d moves are advised",
        "found",
    ),
    Finds.ANNOUNCED_UNRATED: _("The tournament was announced as unrated, so its report isn’t rated"),
    Finds.UNFINISHED: ngettext_lazy(
        "%(found)d round has results, but the report says that there are %(needed)d rounds. If the "
        "tournament is still in progress, replace the report when it has ended",
        "%(found)d rounds have results, but the report says that there are %(needed)d rounds. If the "
        "tournament is still in progress, replace the report when it has ended",
        "found",
    ),
    Finds.POINTS_OF_BYES: ngettext_lazy(
        "%(player)s’s points don’t match the results. Only byes can explain the difference",
        "The points of %(found)d players (the first is %(player)s) don’t match their results. "
        "Only byes can explain the difference",
        "found",
    ),
    Finds.OTHER_LAWS: _(
        "The games weren’t played under FIDE’s laws, which needs the consent of FIDE’s Technical Commission"
    ),
    Finds.OTHER_DAYS: _(
        "Round %(round)d was played on %(day)s, but the report says that the tournament started or ended on"
        " another day"
    ),
    Finds.K_OF_LIST: ngettext_lazy(
        "The list in force gives %(player)s a K that this edition doesn’t have. K is 25, then 15, "
        "and 10 once a player has reached 2400. The list’s K counts for this tournament",
        "The list in force gives %(found)d players (the first is %(player)s) a K that this "
        "edition doesn’t have. K is 25, then 15, and 10 once a player has reached 2400. The list’s K "
        "counts for this tournament",
        "found",
    ),
    Finds.PENALTY: _(
        "Round %(round)d: the report gives %(player)s %(found)s and %(opponent)s %(needed)s, which "
        "doesn’t add up to one point. Once this is accepted as a penalty, each is rated on "
        "their own score"
    ),
    Finds.OTHER_NAME: _(
        "The report gives %(player)s the FIDE ID %(found)d, which belongs to %(text)s on the "
        "list. If they are the same person, accept this; if not, correct the FIDE ID and replace "
        "the report"
    ),
    Finds.NO_CHAPTER: ngettext_lazy(
        "With %(found)d minute for 60 moves, the games are neither standard, rapid nor blitz",
        "With %(found)d minutes for 60 moves, the games are neither standard, rapid nor blitz",
        "found",
    ),
    Finds.OTHER_CHAPTER: ngettext_lazy(
        "With %(found)d minute for 60 moves, the games belong on a different rating list from the one "
        "the tournament is registered for",
        "With %(found)d minutes for 60 moves, the games belong on a different rating list from the one "
        "the tournament is registered for",
        "found",
    ),
    Finds.SHORT_CONTROL: ngettext_lazy(
        "The first time control is after %(found)d move; it must have at least %(needed)d moves",
        "The first time control is after %(found)d moves; it must have at least %(needed)d moves",
        "found",
    ),
    Finds.GAME_TOO_FAST: _(
        "Round %(round)d: %(player)s and %(opponent)s had too little time for their ratings, so their game is"
        " not rated"
    ),
    Finds.UNEQUAL_TIMES: _("The two players in a game had different time limits, so the games are not rated"),
    Finds.TOO_FAR_APART: _(
        "Round %(round)d: %(player)s and %(opponent)s are 600 points or more apart, and one of them is rated"
        " above 2600, so their game is not rated"
    ),
    Finds.REPORTED_LATE: _(
        "The report came too late: the list of %(day)s was the last for which the tournament could be rated"
    ),
}

_CONTROL_NOT_READ: Final = _(
    "The time control “%(text)s” can’t be read, so it couldn’t be checked. In the report or on the "
    "tournament’s page, give it in seconds: for example, 40/5400+30:1800+30"
)
_REGISTERED_AFTER_THE_BEGINNING: Final = _(
    "Registered on %(day)s, after the tournament had started; it must be registered a month (%(needed)d "
    "days) ahead"
)
_TOO_FAST_WITHOUT_RATED: Final = ngettext_lazy(
    "With %(found)d minute for 60 moves, the players have too little time: each must have %(needed)d minutes",
    "With %(found)d minutes for 60 moves, the players have too little time: each must have %(needed)d "
    "minutes",
    "found",
)


def control_text(text: str) -> str:
    """Return a time control as players say it: 90 min for 40 moves, then 30 min, + 30 s a move.

    Text that can't be read with certainty stays as reported.
    """
    stages = stages_of(text)
    if stages is None:
        return text
    same = len({increment for _moves, _seconds, increment in stages}) == 1
    parts = [_stage_text(moves, seconds, 0 if same else each) for moves, seconds, each in stages]
    then = gettext(", then ").join(parts)
    increment = stages[0][2] if same else 0
    if not increment:
        return then
    together = (
        gettext("%(time)s + %(increment)d s per move")
        if len(parts) == 1
        else gettext("%(time)s, + %(increment)d s per move")
    )
    return together % {"time": then, "increment": increment}


def _stage_text(moves: int | None, seconds: int, increment: int) -> str:
    minutes, rest = divmod(seconds, 60)
    words = {"moves": moves, "time": gettext("%d s") % seconds if rest else gettext("%d min") % minutes}
    text = words["time"] if moves is None else gettext("%(time)s for %(moves)d moves") % words
    if increment:
        text = gettext("%(time)s + %(increment)d s per move") % {"time": text, "increment": increment}
    return str(text)


def _hours(minutes: int) -> str:
    return f"{minutes // 60}:{minutes % 60:02}"


_UNITS: Final[dict[Finds, Callable[[int], str]]] = {
    Finds.TOO_MANY_HOURS: _hours,
    Finds.FEW_POINTS: half_points_text,
    Finds.PENALTY: half_points_text,
}


def finding_sentence(finding: Finding, names: Mapping[int, str], edition: Edition) -> str:
    """Return a finding as a sentence with its article. ``names``: players' names by start number."""
    own = edition.own_sentence(finding.finds)
    text = gettext(own) if own else _SENTENCES[finding.finds]
    if finding.finds is Finds.TOO_FAST and finding.player is None:
        text = _TOO_FAST_WITHOUT_RATED
    if finding.finds is Finds.CONTROL_UNKNOWN and finding.text:
        text = _CONTROL_NOT_READ
    if finding.finds is Finds.REGISTERED_LATE and (finding.found or 0) <= 0:
        text = _REGISTERED_AFTER_THE_BEGINNING
    values: dict[str, Any] = {
        "day": finding.day and date_text(finding.day),
        "round": finding.round,
        "found": finding.found,
        "needed": finding.needed,
        "text": finding.text,
    }
    for side in ("player", "opponent"):
        number: int | None = getattr(finding, side)
        values[side] = None if number is None else names.get(number, str(number))
    if unit := _UNITS.get(finding.finds):
        values |= {one: unit(values[one]) for one in ("found", "needed")}
    return f"{text % values} ({edition.cite(finding.finds)})."
