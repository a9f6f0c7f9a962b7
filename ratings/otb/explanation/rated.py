"""B.02 8.5: the steps of a player who has a rating."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from fractions import Fraction

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from foa.text import date_text
from ratings.office.explanations import Step, equals_rounded, hundredths_text, signed_hundredths
from ratings.otb.services.crosstable import counts_for
from ratings.otb.services.rating import Participant, RatedTournament
from ratings.rbb.explanation import spoken_name
from ratings.rules.b02.editions.b02_2009 import Edition
from ratings.rules.b02.expected_score import CAP
from ratings.rules.b02.k_factor import K_FROM_2400, NEW_PLAYER_GAMES, Standing
from ratings.rules.b02.types import Topic
from ratings.rules.units import Hundredths, Points


def write_standing(rated: RatedTournament, participant: Participant) -> Iterator[Step]:
    """Yield whether the player has a rating (2009: 4.13, 8.4; 2024: 7.1.1, 8.2.4)."""
    article = rated.edition.article
    words = {
        "day": date_text(rated.tournament.first_day),
        "player": spoken_name(participant.reported.name),
        "rating": participant.player.rating,
        "later": participant.player.later_rating,
    }
    if participant.player.rating is not None:
        text = _(
            "On the list in force on %(day)s, the first day of the tournament, %(player)s has a "
            "rating of %(rating)d."
        )
        if participant.is_seeded:
            text = _(
                "On the list in force on %(day)s, the first day of the tournament, %(player)s has no "
                "rating. The standard rating on that day, %(rating)d, is used."
            )
            yield Step(text % words, article(Topic.STANDARD_RATING))
            return
        yield Step(text % words, article(Topic.LIST_IN_FORCE))
        return
    if participant.player.later_rating is not None:
        text = _(
            "On the list in force on %(day)s, the first day of the tournament, %(player)s has no rating, "
            "but has received one since: %(later)d. It counts for these games. For the opponents, "
            "%(player)s counts as unrated."
        )
        yield Step(text % words, article(Topic.LATER_RATING))
        return
    text = _("On the list in force on %(day)s, the first day of the tournament, %(player)s has no rating.")
    yield Step(text % words, article(Topic.LIST_IN_FORCE))


def write_rated(rated: RatedTournament, participant: Participant) -> Iterator[Step]:
    """Yield how the change of a rated player follows (2009: 8.5; 2024: 8.3)."""
    result, edition = participant.result, rated.edition
    yield from write_standing(rated, participant)
    opponents = sum(game.opponent_rating or 0 for game in result.games if counts_for(result, game))
    expected, change = result.expected or Hundredths(0), result.change or Hundredths(0)
    rating, k = result.rating or Points(0), result.k or 0
    score = Hundredths(50 * result.half_points)
    words = {
        "cap": CAP,
        "uncapped": edition.choices.uncapped_from,
        "games": result.rated_games,
        "sum": opponents,
        "exact": equals_rounded(Fraction(opponents, result.rated_games), result.average or 0),
        "score": hundredths_text(score),
        "expected": hundredths_text(expected),
        "delta": signed_hundredths(Hundredths(score - expected)),
        "k": k,
        "change": signed_hundredths(change),
        "rating": rating,
        "new": hundredths_text(Hundredths(100 * rating + change)),
    }
    article = edition.article
    capped = _(
        "D is the player’s rating minus the opponent’s; a difference of more than %(cap)d counts as %(cap)d."
        " P(D) is read from the table."
    )
    uncapped = _(
        "D is the player’s rating minus the opponent’s. For players rated %(uncapped)d or more, D is not"
        " capped. P(D) is read from the table."
    )
    yield Step((capped if edition.cap(rating) == CAP else uncapped) % words, article(Topic.EXPECTED))
    text = _("Rc, the average of the opponents’ ratings, for information: %(sum)d ÷ %(games)d %(exact)s.")
    yield Step(text % words)
    yield Step(
        _("We, the sum of P(D) over all games that count: %(expected)s.") % words,
        article(Topic.SUM_OF_EXPECTED),
    )
    yield Step(
        _("ΣΔR = score − We = %(score)s − %(expected)s = %(delta)s.") % words,
        article(Topic.DIFFERENCE),
    )
    yield _why_k(edition, participant, rated.tournament.first_day, k, rating)
    yield Step(_("Change = ΣΔR × K = %(delta)s × %(k)d = %(change)s.") % words, article(Topic.CHANGE))
    yield Step(
        _(
            "Rn = Ro + change = %(rating)d + (%(change)s) = %(new)s. For the list, the changes from all "
            "tournaments in its period are added up, and the sum is rounded once."
        )
        % words,
        article(Topic.NEW_RATING),
    )


def _why_k(edition: Edition, participant: Participant, day: date, k: int, rating: Points) -> Step:
    """Return what K follows from: the list's, for the whole tournament (2009: 8.56; 2024: 8.3.3)."""
    listed = participant.listed
    born = None if listed is None else listed.birth_year
    base = None if listed is None else listed.k
    if participant.is_seeded:
        own = Standing() if listed is None else listed.standing
        base = edition.k(own._replace(rating=participant.player.rating), born, day)
    words = {
        "k": k,
        "games": 0 if listed is None else listed.standing.games,
        "needed": NEW_PLAYER_GAMES,
        "list": base,
    }
    topic = Topic.K
    if participant.player.rating is None:
        text, topic = _("K = %(k)d, from the list with that rating."), Topic.LATER_RATING
    elif base is not None and k < base:
        text = _(
            "K = %(k)d instead of %(list)d: K comes from the previous list, and K times the games in the "
            "period may not exceed 700."
        )
    elif participant.is_seeded:
        text = _("K = %(k)d, as for a player new to the list.")
    elif listed is None or not listed.standing.games or edition.k(listed.standing, born, day) != k:
        # FIDE's lists don't say how many games a player has.
        text, topic = _("K = %(k)d, from the list in force on the first day."), Topic.LIST_IN_FORCE
    elif k == K_FROM_2400:
        text = _("K = %(k)d permanently, because a published rating was 2400 or more.")
    elif listed.standing.games < NEW_PLAYER_GAMES:
        text = ngettext(
            "K = %(k)d: %(games)d rated game so far, fewer than %(needed)d.",
            "K = %(k)d: %(games)d rated games so far, fewer than %(needed)d.",
            listed.standing.games,
        )
    elif edition.k(listed.standing, None, day) != k:
        text = _(
            "K = %(k)d until the end of the year of the 18th birthday, because no published rating was 2300"
            " or more."
        )
    else:
        text = _("K = %(k)d: at least 30 rated games, and no published rating of 2400 yet.")
    if not edition.has_k(k, rating):
        text += " " + _(
            "This edition doesn’t have that K (B.02 8.56), but the list’s K counts for the whole tournament."
        )
    return Step(text % words, edition.article(topic))
