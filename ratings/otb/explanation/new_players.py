"""B.02 8.2, 8.58; 2024: 8.2: the steps of a player who has no rating."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from ratings.office.explanations import (
    Step,
    at_decimals,
    decimal_text,
    equals,
    equals_rounded,
    fewest_decimals,
    hundredths_text,
    to_decimals,
    whole,
)
from ratings.otb.services.rating import Participant, RatedTournament
from ratings.rbb.labels import half_points_text
from ratings.rules.b02.expected_score import CAP
from ratings.rules.b02.first_ratings import HIGHEST_FIRST_RATING, HYPOTHETICAL_OPPONENTS, HYPOTHETICAL_RATING
from ratings.rules.b02.floors import FLOOR
from ratings.rules.b02.types import NewPlayer, Outcome, RoundRobin, Ru, Topic, TournamentType
from ratings.rules.rounding import from_hundredths


class RatedLine(NamedTuple):
    """A rated player of a round robin, with p and d(p), whose average is d(pa)."""

    name: str
    p: str
    dp: str


def write_new(rated: RatedTournament, participant: Participant) -> Iterator[Step]:
    """B.02 8.2, 8.58: explain the result of a player without a rating."""
    new = participant.result.new
    if new is None:
        yield _without_result(rated, participant)
        return
    if rated.edition.has(Topic.OPPONENTS):
        yield from _with_hypothetical_opponents(rated, participant, new)
        return
    words = {"games": new.games, "score": half_points_text(new.half_points), "rated": new.against_rated}
    round_robin = rated.rating.round_robin
    if round_robin is None:
        text = _("Only games against rated players count: %(games)d, with a score of %(score)s.")
        yield Step(text % words, "6.41, 8.21(a)")
        yield _swiss_average(new)
        yield _ru(new.final, "Rc", rated)
    else:
        text = _(
            "In a round robin all games count: %(games)d in total, %(rated)d against rated players, with "
            "a score of %(score)s."
        )
        yield Step(text % words, "6.3, 8.21(b)")
        yield from _in_round_robin(rated, round_robin, new)
    if (whole := rated.whole.get(participant.reported.start_rank)) is not None:
        words = {
            "games": whole.games,
            "score": half_points_text(whole.half_points),
            "rated": whole.against_rated,
            "rating": whole.final.rating,
        }
        text = ngettext(
            "All stages of the event count as one tournament: %(games)d game, %(rated)d of them against "
            "rated players, with a score of %(score)s, worth %(rating)d.",
            "All stages of the event count as one tournament: %(games)d games, %(rated)d of them against "
            "rated players, with a score of %(score)s, worth %(rating)d.",
            whole.games,
        )
        yield Step(text % words, "6.2")
    yield _whether_first(participant, new)


def _without_result(rated: RatedTournament, participant: Participant) -> Step:
    """B.02 6.1, 6.41: explain why there is no result towards a first rating."""
    if participant.result.outcome is Outcome.ZERO_SCORE and rated.rating.kind is TournamentType.ROUND_ROBIN:
        text = _(
            "In a round robin, a player with no rating, no earlier result and no points is left out with "
            "all their games. The rest are rated as a smaller round robin."
        )
        return Step(text, "6.1")
    text = _("No games against rated players count, so there is no result.")
    return Step(text, rated.edition.article(participant.result.outcome))


def _swiss_average(new: NewPlayer) -> Step:
    """B.02 8.21(a): explain Rc."""
    words = {
        "sum": new.opponents_sum,
        "games": new.games,
        "exact": equals_rounded(Fraction(new.opponents_sum, new.games), new.final.average),
    }
    text = _("Rc, the average of the opponents’ ratings: %(sum)d ÷ %(games)d %(exact)s.")
    return Step(text % words, "8.21(a)")


def _in_round_robin(rated: RatedTournament, round_robin: RoundRobin, new: NewPlayer) -> Iterator[Step]:
    """B.02 8.21(b), 8.58: explain Rar, d(pa), Ra, the first Ru, opponents 400 points away, the new Ru."""
    names = rated.names
    lines = tuple(
        RatedLine(names[number], hundredths_text(p), whole(dp)) for number, p, dp in round_robin.rated
    )
    n = round_robin.opponents
    rar, dpa = round_robin.rar, round_robin.dpa
    exact = rar - dpa * n / (n + 1)

    def gives(decimals: int) -> bool:
        shown = to_decimals(rar, decimals) - to_decimals(dpa, decimals) * n / (n + 1)
        return to_decimals(shown, 2) == to_decimals(exact, 2)

    decimals = fewest_decimals(2, gives)
    words: dict[str, Any] = {
        "rar": _shown(rar, decimals),
        "rar_is": f"{equals(rar)[0]} {_shown(rar, decimals)}",
        "dpa": _shown(dpa, decimals),
        "dpa_is": f"{equals(dpa)[0]} {_shown(dpa, decimals)}",
        "n": n,
        "n1": n + 1,
        "exact": equals_rounded(exact, round_robin.average, rar, dpa),
        "first": new.first.rating,
        "cap": CAP,
    }
    yield Step(_("Rar %(rar_is)s, the average of the rated players’ ratings.") % words, "8.21(b)")
    yield Step(_("d(pa) %(dpa_is)s, the average of their d(p).") % words, "8.21(b)", lines)
    text = _("Ra = Rar − d(pa) × n ÷ (n + 1) = %(rar)s − (%(dpa)s) × %(n)d ÷ %(n1)d %(exact)s.")
    yield Step(text % words, "8.21(b)")
    yield _ru(new.first, "Ra", rated)
    if not new.shifts:
        text = _(
            "No opponent is rated more than %(cap)d points above or below %(first)d, so Ru stays the same."
        )
        yield Step(text % words, "8.58")
        return
    moved = sum(shift for _number, shift in new.shifts)
    words |= {
        "shifts": ", ".join(f"{names[number]} {whole(shift)}" for number, shift in new.shifts),
        "moved": whole(moved),
        "average": round_robin.average,
        "exact": equals_rounded(round_robin.average + Fraction(moved, n), new.final.average),
    }
    text = _(
        "Opponents rated more than %(cap)d points above or below %(first)d count as exactly %(cap)d "
        "points away, which shifts their ratings by: %(shifts)s."
    )
    yield Step(text % words, "8.58")
    text = _("The new Rc = Ra + sum ÷ n = %(average)d + (%(moved)s) ÷ %(n)d %(exact)s.")
    yield Step(text % words, "8.58")
    yield _ru(new.final, "Rc", rated)


def _shown(number: Fraction, decimals: int) -> str:
    """Format a number as ``decimal_text`` does, or with so many decimals if it is rounded."""
    return decimal_text(number) if equals(number).startswith("=") else at_decimals(number, decimals)


def _ru(ru: Ru, name: str, rated: RatedTournament) -> Step:
    """B.02 8.22 to 8.25: explain Ru, from the score and the average, which is called Rc or Ra."""
    bonus = from_hundredths(rated.edition.choices.bonus_per_half_point)
    n1 = (ru.opponents or 0) + 1
    exact = Fraction(ru.average)
    if ru.article == "8.23":
        exact += ru.over * Fraction(bonus)
    elif ru.opponents:
        exact += Fraction((ru.dp or 0) * ru.opponents, n1)
    words = {
        "name": name,
        "average": ru.average,
        "exact": equals_rounded(exact, ru.rating),
        "score": half_points_text(ru.half_points),
        "games": ru.games,
        "p": f"{'=' if ru.p * ru.games == 50 * ru.half_points else '≈'} {hundredths_text(ru.p)}",
        "over": ru.over,
        "bonus": bonus.normalize() if bonus % 1 else int(bonus),
        "dp": whole(ru.dp or 0),
        "n": ru.opponents,
        "n1": n1,
        "rating": ru.rating,
    }
    if ru.article == "8.22":
        text = _("%(score)s out of %(games)d is 50%%: Ru = %(name)s = %(rating)d.")
    elif ru.article == "8.23":
        text = _(
            "%(score)s out of %(games)d is more than 50%% (half points over: %(over)d). Ru = %(name)s + "
            "%(over)d × %(bonus)s = %(average)d + %(over)d × %(bonus)s %(exact)s."
        )
    elif ru.article == "8.24":
        text = _(
            "%(score)s out of %(games)d is less than 50%%: p %(p)s, and d(p) = %(dp)s. Ru = %(name)s + "
            "d(p) = %(average)d + (%(dp)s) = %(rating)d."
        )
    else:
        text = _(
            "%(score)s out of %(games)d is less than 50%%: p %(p)s, and d(p) = %(dp)s. Ru = %(name)s + "
            "d(p) × n ÷ (n + 1) = %(average)d + (%(dp)s) × %(n)d ÷ %(n1)d %(exact)s."
        )
    return Step(text % words, ru.article)


def _whether_first(participant: Participant, new: NewPlayer) -> Step:
    """B.02 6.41, 8.21, 8.31: explain what a first result needs."""
    if participant.player.earlier_result:
        text = _(
            "%(player)s has a result from the last two years that counts, so this one counts whatever the "
            "score."
        )
        return Step(text % {"player": participant.reported.name}, "7.14(c), 8.31")
    words = {"floor": FLOOR}
    if new.why_not_first is Outcome.FEW_GAMES:
        text = _("A first result needs three games against rated players, so this one is left out.")
    elif new.why_not_first is Outcome.FEW_POINTS:
        text = _("A first result needs a point, so this one is left out.")
    elif new.why_not_first is Outcome.BELOW_FLOOR:
        text = _("A first result must be worth at least %(floor)d, so this one is left out.")
    elif participant.result.outcome is Outcome.ZERO_SCORE:
        text = _("A first result needs a point, so this one is left out.")
    else:
        text = _(
            "With three games against rated players, a point and a value of at least %(floor)d, this can "
            "be the first result that counts."
        )
    return Step(text % words, "6.41, 8.21, 8.31")


def _with_hypothetical_opponents(
    rated: RatedTournament, participant: Participant, new: NewPlayer
) -> Iterator[Step]:
    """Yield how a new player's result follows: Ra, p and dp with the hypothetical opponents, and Ru."""
    article, ru = rated.edition.article, new.final
    with_hypothetical = new.games + HYPOTHETICAL_OPPONENTS
    total = new.opponents_sum + HYPOTHETICAL_OPPONENTS * HYPOTHETICAL_RATING
    average = Fraction(total, with_hypothetical)
    points = new.half_points + HYPOTHETICAL_OPPONENTS
    words = {
        "games": new.games,
        "score": half_points_text(new.half_points),
        "sum": new.opponents_sum,
        "hypothetical": HYPOTHETICAL_RATING,
        "added": HYPOTHETICAL_OPPONENTS * HYPOTHETICAL_RATING,
        "all": with_hypothetical,
        "average": equals(average),
        "points": half_points_text(points),
        "p": f"{'=' if ru.p * with_hypothetical == 50 * points else '≈'} {hundredths_text(ru.p)}",
        "dp": whole(ru.dp or 0),
        "exact": equals(average + (ru.dp or 0)),
        "rounded": equals_rounded(average + (ru.dp or 0), ru.rating),
        "most": HIGHEST_FIRST_RATING,
    }
    text = _("Only games against rated players count: %(games)d, with a score of %(score)s.")
    yield Step(text % words, article(Topic.FIRST_RATING))
    text = _(
        "Two opponents rated %(hypothetical)d are added, with a draw against each: Ra = (%(sum)d +"
        " %(added)d) ÷ %(all)d %(average)s."
    )
    yield Step(text % words, article(Topic.OPPONENTS))
    text = _("p = %(points)s ÷ %(all)d %(p)s, and dp = %(dp)s. Ru = Ra + dp %(rounded)s.")
    if average + (ru.dp or 0) > HIGHEST_FIRST_RATING:
        text = _(
            "p = %(points)s ÷ %(all)d %(p)s, and dp = %(dp)s. Ru = Ra + dp %(exact)s, but a first rating is"
            " at most %(most)d."
        )
    yield Step(text % words, article(Topic.FIRST_RATING))
    if participant.result.outcome is Outcome.ZERO_SCORE:
        text = _("The player scored no points in their very first tournament, so it doesn’t count.")
    else:
        text = _("The result counts towards a first rating, together with those of the last 26 periods.")
    yield Step(text, article(Topic.FIRST_EVENT))
