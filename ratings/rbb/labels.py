"""Texts for people in place of the rules' names, in the reader's language."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, time
from typing import Any, Final

from django.utils import timezone
from django.utils.functional import Promise
from django.utils.text import format_lazy
from django.utils.translation import gettext, ngettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from foa.text import date_text, dated, utc
from ratings.rules.rbb.conditions import Span, Unmet
from ratings.rules.rbb.plausibility import Doubt
from ratings.rules.rbb.rating import Reason
from ratings.rules.rbb.terminations import Contradiction, Termination
from ratings.rules.time_controls import Category

CATEGORY_NAMES: Final[dict[Category, Promise]] = {
    Category.RAPID: _("Rapid"),
    Category.BLITZ: _("Blitz"),
    Category.BULLET: _("Bullet"),
}
CATEGORY_WORDS: Final[dict[Category, Promise]] = {
    Category.RAPID: pgettext_lazy("in a sentence", "rapid"),
    Category.BLITZ: pgettext_lazy("in a sentence", "blitz"),
    Category.BULLET: pgettext_lazy("in a sentence", "bullet"),
}
"""Forms of %(category)s within a sentence: languages other than English inflect it."""

REASON_CHOICES: Final = [
    (reason.value, format_lazy("{} {}", reason.article, _(reason.text))) for reason in Reason
]
"""Reasons with their articles."""


def unmet_text(unmet: Unmet) -> str:
    """Return a condition that a game doesn't meet, in the reader's language."""
    return gettext(unmet.condition.value) % unmet.words


def contradiction_text(found: Contradiction) -> str:
    """Return what is impossible about a game's end, in the reader's language."""
    names = {str(one): name for one, name in TERMINATION_NAMES.items()}
    words = {name: names.get(word, word) for name, word in found.words.items()}
    return gettext(found.impossible.value) % words


def without_end(game: Any) -> str:
    """Return why a game has no end: it is in progress, or no result was received."""
    return gettext("no result received") if game.is_forgotten(timezone.now()) else gettext("in progress")


def void_text(game: Any) -> str:
    """Return a text for staff saying that a game is void."""
    return gettext("The game is void and doesn’t count: %(reason)s.") % {"reason": game.why_void}


def waiting_text(game: Any) -> str:
    """Return a text for staff saying that a game waits until somebody has told it from another."""
    words = {"game": game, "number": game.possibly_same_id}
    if game.possibly_same_id is None:
        return (
            gettext(
                "%(game)s may be a game that has since been deleted, so it won’t be rated until you rate it."
            )
            % words
        )
    return (
        gettext(
            "%(game)s may be the same game as game %(number)d, so it won’t be rated until you say "
            "whether it is."
        )
        % words
    )


def not_full_text(player: str, moment: datetime, spans: Iterable[Span]) -> str:
    """Say that a player wasn't a full member at a moment, with the nearest known date (RBB 2.1)."""
    words = {"player": player, "day": _day(moment)}
    ended = [end for _begin, end in spans if end is not None and end <= moment]
    begins = [begin for begin, _end in spans if begin > moment]
    if ended:
        text = gettext("%(player)s was not a full member on %(day)s: membership ended on %(end)s (RBB 2.1)")
        return text % {**words, "end": _day(max(ended))}
    if begins:
        text = gettext("%(player)s was not a full member on %(day)s: membership began on %(begin)s (RBB 2.1)")
        return text % {**words, "begin": _day(min(begins))}
    return gettext("%(player)s was not a full member on %(day)s, and never has been (RBB 2.1)") % words


def dates_text(span: Span) -> str:
    """Return a span's dates: “from 1 Oct 2026”, with the time unless it begins at the start of a day."""
    begin, end = (moment and _day(moment) for moment in span)
    if end is None:
        return gettext("from %(begin)s") % {"begin": begin}
    return gettext("from %(begin)s until %(end)s") % {"begin": begin, "end": end}


def _day(moment: datetime) -> str:
    return date_text(moment) if moment.astimezone(UTC).time() == time() else utc(moment)


def doubt_text(doubt: Doubt, words: Mapping[str, object]) -> str:
    """Return what is implausible, in the reader's language; ``words`` have dates as stored."""
    return gettext(doubt.value) % {name: dated(str(value)) for name, value in words.items()}


TERMINATION_NAMES: Final[dict[Termination, Promise]] = {
    Termination.CHECKMATE: _("checkmate"),
    Termination.RESIGNATION: _("resignation"),
    Termination.TIME: _("time"),
    Termination.STALEMATE: _("stalemate"),
    Termination.REPETITION: _("repetition"),
    Termination.FIFTY_MOVES: _("fifty moves"),
    Termination.INSUFFICIENT_MATERIAL: _("insufficient material"),
    Termination.AGREEMENT: _("agreement"),
    Termination.ADJUDICATION: _("adjudication"),
    Termination.WHITE_GONE: _("White disconnected"),
    Termination.BLACK_GONE: _("Black disconnected"),
    Termination.BOTH_GONE: _("both disconnected"),
    Termination.RULES_INFRACTION: _("rules infraction"),
    Termination.NORMAL: _("normal"),
    Termination.NO_SHOW: _("no-show"),
    Termination.ABORTED: _("aborted"),
    Termination.FORFEIT: _("forfeit"),
    Termination.BYE: _("bye"),
    Termination.UNKNOWN: _("unknown"),
}
"""Names of the ways in which a game can end."""

SCORES: Final = ("0", "½", "1")
"""Scores by half points."""

SCORE_KINDS: Final = ("lost", "drawn", "won")
"""Results by half points, as used in style sheets."""


def half_points_text(half_points: int) -> str:
    """Return a score as chess players write it: 7, 7½, ½."""
    return quarter_points_text(2 * half_points)


def quarter_points_text(quarter_points: int) -> str:
    """Return a Sonneborn-Berger score in the same notation: 7, 7½, 9¼, ¾."""
    whole, quarters = divmod(quarter_points, 4)
    return f"{whole or ('' if quarters else 0)}{('', '¼', '½', '¾')[quarters]}"


def late_and_withdrawn(counted: Any) -> list[str]:
    """Return texts on games from before the previous list: 1 entered late, 2 withdrawn."""
    late, withdrawn = counted.late_games or 0, counted.withdrawn_games or 0
    told = [
        (late, ngettext("%d entered late", "%d entered late", late)),
        (withdrawn, ngettext("%d withdrawn", "%d withdrawn", withdrawn)),
    ]
    return [text % number for number, text in told if number]
