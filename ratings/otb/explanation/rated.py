"""B.02 8.5: the steps of a player who has a rating."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from foa.text import date_text, points
from ratings.office.explanations import Step, equals, signed_hundredths
from ratings.otb.services.crosstable import counts_for
from ratings.otb.services.rating import Participant, RatedTournament
from ratings.rules.b02.lists import K_FROM_2400, K_NEW, NEW_PLAYER_GAMES, is_k_of_edition
from ratings.rules.b02.types import CAP
from ratings.rules.rounding import from_hundredths
from ratings.rules.units import Hundredths, Points


def write_standing(rated: RatedTournament, participant: Participant) -> Iterator[Step]:
    """B.02 4.13, 8.4: whether the player has a rating."""
    words = {
        "day": date_text(rated.tournament.first_day),
        "player": participant.reported.name,
        "rating": participant.player.rating,
        "later": participant.player.later_rating,
    }
    if participant.player.rating is not None:
        text = _("On the list in force on %(day)s, the first day, %(player)s has a rating of %(rating)d.")
        yield Step(text % words, "4.13")
        return
    if participant.player.later_rating is not None:
        text = _(
            "On the list in force on %(day)s, the first day, %(player)s has no rating, but has received"
            " one since:"
            " %(later)d. It counts for these games. For the opponents %(player)s is a player without a"
            " rating."
        )
        yield Step(text % words, "8.4")
        return
    text = _("On the list in force on %(day)s, the first day, %(player)s has no rating.")
    yield Step(text % words, "4.13")


def write_rated(rated: RatedTournament, participant: Participant) -> Iterator[Step]:
    """B.02 8.5: the change of a rated player."""
    result = participant.result
    yield from write_standing(rated, participant)
    opponents = sum(game.opponent_rating or 0 for game in result.games if counts_for(result, game))
    expected, change = result.expected or Hundredths(0), result.change or Hundredths(0)
    rating, k = result.rating or Points(0), result.k or 0
    score = Hundredths(50 * result.half_points)
    words = {
        "cap": CAP,
        "games": result.rated_games,
        "sum": opponents,
        "exact": equals(Fraction(opponents, result.rated_games)),
        "average": result.average,
        "score": points(from_hundredths(score)),
        "expected": points(from_hundredths(expected)),
        "delta": signed_hundredths(Hundredths(score - expected)),
        "k": k,
        "change": signed_hundredths(change),
        "rating": rating,
        "new": points(from_hundredths(Hundredths(100 * rating + change))),
    }
    yield Step(
        _(
            "D is the own rating less the opponent’s, and a difference of more than %(cap)d counts as"
            " %(cap)d. P(D) is what the table gives for it."
        )
        % words,
        "8.54, 8.55(a), 8.1(b)",
    )
    text = _(
        "Rc, the average of the opponents’ ratings, for information: %(sum)d : %(games)d %(exact)s, rounded"
        " %(average)d."
    )
    yield Step(text % words)
    yield Step(_("We, the sum of P(D) over all games that count: %(expected)s.") % words, "8.55(a)")
    yield Step(_("ΣΔR = score − We = %(score)s − %(expected)s = %(delta)s.") % words, "8.55(b)")
    yield _why_k(participant, k, rating)
    yield Step(_("Change = ΣΔR × K = %(delta)s × %(k)d = %(change)s.") % words, "8.55(c)")
    yield Step(
        _(
            "Rn = Ro + change = %(rating)d + (%(change)s) = %(new)s. The list adds up the changes of all"
            " tournaments of its period and rounds once."
        )
        % words,
        "8.55(c), 8.57",
    )


def _why_k(participant: Participant, k: int, rating: Points) -> Step:
    """B.02 8.56: the list's K for the whole tournament, and what it follows from."""
    standing = None if participant.listed is None else participant.listed.standing
    words = {"k": k, "games": 0 if standing is None else standing.games, "needed": NEW_PLAYER_GAMES}
    article = "8.56"
    if participant.player.rating is None:
        text, article = _("K = %(k)d, from the list with that rating."), "8.4"
    elif standing is None or standing.k != k or not standing.games:
        # FIDE's lists don't say how many games a player has.
        text, article = _("K = %(k)d, from the list in force on the first day."), "4.13"
    elif k == K_NEW:
        text = ngettext(
            "K = %(k)d: %(games)d rated game before, fewer than %(needed)d.",
            "K = %(k)d: %(games)d rated games before, fewer than %(needed)d.",
            standing.games,
        )
    elif k == K_FROM_2400:
        text = _("K = %(k)d for good, because a published rating was 2400 or more.")
    else:
        text = _("K = %(k)d: at least 30 rated games, and no published rating of 2400 yet.")
    if not is_k_of_edition(k, rating):
        text += " " + _(
            "This edition doesn’t have that K (B.02 8.56), but the list’s K counts for the whole tournament."
        )
    return Step(text % words, article)
