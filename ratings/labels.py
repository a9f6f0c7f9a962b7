"""Words for people where the rules have names for machines, in the reader's language."""

from typing import Any, Final

from django.utils.functional import Promise
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext, pgettext_lazy

from ratings.rules.rbb.conditions import Condition
from ratings.rules.rbb.plausibility import Doubt
from ratings.rules.rbb.steps import Reason
from ratings.rules.rbb.terminations import Termination
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
"""What stands in a sentence for %(category)s: other languages than English inflect it."""

REASON_TEXTS: Final[dict[Reason, Promise]] = {
    Reason.OPENING: _("first rating carried in"),
    Reason.OPENING_NOT_APPLIED: _("not applied: rated before in this category"),
    Reason.ADJUSTED: _("over-the-board rating change added"),
    Reason.ADJUSTMENT_UNRATED: _("not applied: unrated in this category"),
    Reason.RATED: _("game between two rated players"),
    Reason.OPPONENT_UNRATED: _("opponent unrated: rating not affected"),
    Reason.BOTH_UNRATED: _("both players unrated: counts for nothing"),
    Reason.LOSS_FORGOTTEN: _("loss before the first draw or win: counts for nothing"),
    Reason.RESULT_COUNTED: _("result counted towards the first rating"),
    Reason.FIRST_RATING: _("first rating reached"),
    Reason.FIRST_RATING_BELOW_FLOOR: _("first rating under the floor of 100: begins again"),
    Reason.LOST_UNDER_FLOOR: _("rating fell under the floor of 100 and is lost"),
}
"""In English the words of the rules."""

REASON_CHOICES: Final = [
    (reason.value, format_lazy("{} {}", reason.article, text)) for reason, text in REASON_TEXTS.items()
]
"""With their articles."""

CONDITION_TEXTS: Final[dict[Condition, Promise]] = {
    Condition.LISTED: _("time control %(control)s is not one of the seventeen rated controls (RBB 2.3)"),
    Condition.WHITE: _("White was no full member when the game started (RBB 2.1)"),
    Condition.BLACK: _("Black was no full member when the game started (RBB 2.1)"),
    Condition.PLAYED: _(
        "not played: “%(termination)s” (FIDE B.02 5.1: a game counts once each side has moved)"
    ),
    Condition.MOVED: _("not played: fewer than one move by each side (FIDE B.02 5.1)"),
    Condition.BOTH_GONE: _(
        "both players were gone for more than 60 seconds at the same instant, so nobody has lost (RBB 2.4)"
    ),
    Condition.KNOWN: _(
        "“%(termination)s” doesn't say whether the game was played "
        "(FIDE B.02 5.1: a game counts once each side has moved)"
    ),
    Condition.WHITE_LOST: _(
        "White was gone for more than 60 seconds and has lost, but the result is %(result)s (RBB 2.4)"
    ),
    Condition.BLACK_LOST: _(
        "Black was gone for more than 60 seconds and has lost, but the result is %(result)s (RBB 2.4)"
    ),
}
"""Why a game cannot be rated; in English the words of the rules."""

DOUBT_TEXTS: Final[dict[Doubt, Promise]] = {
    Doubt.TOO_LONG: _("It lasted %(lasted)s, but at %(control)s a game lasts %(longest)s at most."),
    Doubt.OVERLAP: _("It overlaps another rated game of %(player)s: %(other)s."),
    Doubt.BEFORE_MEMBERSHIP: _(
        "It takes effect on %(day)s, but %(player)s first became a full member on %(first)s (RBB 3.4)."
    ),
    Doubt.NEVER_A_MEMBER: _("It takes effect on %(day)s, but %(player)s was never a full member (RBB 3.4)."),
}
"""What is implausible; in English the words of the rules."""

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
    Termination.WHITE_GONE: _("disconnection of White"),
    Termination.BLACK_GONE: _("disconnection of Black"),
    Termination.BOTH_GONE: _("disconnection of both"),
    Termination.RULES_INFRACTION: _("rules infraction"),
    Termination.NORMAL: _("normal"),
    Termination.NO_SHOW: _("no-show"),
    Termination.ABORTED: _("aborted"),
    Termination.FORFEIT: _("forfeit"),
    Termination.BYE: _("bye"),
    Termination.UNKNOWN: _("unknown"),
}
"""How a game ended."""

SCORES: Final = ("0", "½", "1")
"""A score by its half points."""


def expected_text(hundredths: int) -> str:
    """PD as the regulations print it: .48, 1.00."""
    return f"{hundredths // 100 or ''}.{hundredths % 100:02}"


def half_points_text(half_points: int) -> str:
    """A score as chess players write it: 7, 7½, ½."""
    whole, half = divmod(half_points, 2)
    return f"{whole or ('' if half else 0)}{'½' * half}"


def late_and_withdrawn(counted: Any) -> list[str]:
    """What a list, or a line of it, says of games behind the list before: 1 entered late, 2 withdrawn."""
    late, withdrawn = counted.late_games or 0, counted.withdrawn_games or 0
    told = [
        (late, ngettext("%d entered late", "%d entered late", late)),
        (withdrawn, ngettext("%d withdrawn", "%d withdrawn", withdrawn)),
    ]
    return [text % number for number, text in told if number]
