"""RBB 3.8 to 3.11: the steps of a game that a rated player played."""

from __future__ import annotations

from django.utils.translation import gettext as _

from ratings.rbb.explanation.steps import Steps, in_brackets, score_text
from ratings.rbb.labels import expected_text
from ratings.rbb.regulations.tables import pd_excerpt, span
from ratings.rules.rbb.rating import PREVIOUSLY_UNRATED_GAMES, Reason
from ratings.rules.rounding import from_hundredths, to_hundredths
from ratings.rules.tables import pd_row
from ratings.rules.units import Hundredths, Points


def write_rated_game(steps: Steps) -> None:
    """Write the steps for two rated players (RBB 3.9 to 3.11)."""
    row = steps.row
    before, opponent = row.before, row.opponent_rating
    steps.before()
    text = _(
        "%(opponent)s’s exact rating before the game: %(rating)s. Both changes use the ratings before the "
        "game."
    )
    steps.add("opponent", "3.9 3.11", text, minor=True, rating=opponent)
    steps.add(
        "difference",
        "3.9.1 3.13",
        _("D = %(higher)s − %(lower)s = %(exact)s, rounded half up to %(rounded)s."),
        higher=max(before, opponent),
        lower=min(before, opponent),
        exact=abs(before - opponent),
        rounded=row.difference,
    )
    _write_expected(steps)
    steps.score("3.9.1")
    _write_k(steps)
    _write_change(steps)
    steps.floor()


def write_unaffected(steps: Steps) -> None:
    """Write the steps for a game against an unrated player (RBB 3.6.2, 3.8)."""
    steps.before()
    if steps.row.why is Reason.OPPONENT_UNRATED:
        steps.add("opponent", "3.5", _("%(opponent)s before the game: unrated in %(category)s."), rating=None)
        text = _("A game against an unrated player does not change the rating, the number of games or K.")
        steps.add("unaffected", "3.8", text)
    else:
        steps.add(
            "opponent", "3.5", _("%(opponent)s before the game: unrated in %(category)s too."), rating=None
        )
        text = _("Only games against rated opponents count towards a first rating.")
        steps.add("unaffected", "3.6.2", text)


def _write_expected(steps: Steps) -> None:
    """Write PD with its row (RBB 4.2)."""
    row = steps.row
    difference, expected = Points(row.difference or 0), Hundredths(row.expected or 0)
    first, last, higher, lower = pd_row(difference)
    is_higher = row.before >= row.opponent_rating
    if row.before == row.opponent_rating:
        text = _(
            "PD = %(printed)s: D = %(difference)s falls in row %(row)s of table 4.2. Between equal ratings, "
            "columns H and L are the same."
        )
    elif is_higher:
        text = _(
            "PD = %(printed)s: D = %(difference)s falls in row %(row)s of table 4.2. Column H is for the "
            "higher-rated player, %(player)s."
        )
    else:
        text = _(
            "PD = %(printed)s: D = %(difference)s falls in row %(row)s of table 4.2. Column L is for the "
            "lower-rated player, %(player)s."
        )
    steps.add(
        "expected",
        "3.9.1 4.2",
        text,
        words={"printed": expected_text(expected), "row": span(first, last)},
        excerpt=pd_excerpt(difference, is_higher),
        difference=difference,
        row_first=first,
        row_last=last,
        higher=from_hundredths(higher),
        lower=from_hundredths(lower),
        column="H" if is_higher else "L",
        expected=from_hundredths(expected),
    )


def _write_k(steps: Steps) -> None:
    """Write K and the reason for it (RBB 3.10)."""
    row = steps.row
    articles = row.k_article
    game = row.games or None  # losing a rating also loses the number of games
    if articles == "3.10.3":
        text = (
            _(
                "K = %(k)s: %(player)s was unrated in %(category)s, and this is game %(game)s of the first "
                "%(needed)s since then."
            )
            if game
            else _(
                "K = %(k)s: %(player)s was unrated in %(category)s, and this is one of the first %(needed)s "
                "games since then."
            )
        )
    elif row.previously_unrated:
        articles += " 3.10.3"
        text = _(
            "K = %(k)s for %(category)s: K = 40 ended after game %(needed)s, and this is game %(game)s since "
            "%(player)s was unrated."
        )
    elif game:
        articles += " 3.10.3"
        text = _(
            "K = %(k)s for %(category)s: K = 40 does not apply, because %(player)s started with an existing "
            "rating."
        )
    else:
        text = _("K = %(k)s for %(category)s.")
    steps.add("k", articles, text, k=row.k, game=game, needed=PREVIOUSLY_UNRATED_GAMES)


def _write_change(steps: Steps) -> None:
    """Write ΔR and Rn (RBB 3.9.1, 3.9.2)."""
    row = steps.row
    k = row.k or 1
    # The rules multiplied whole hundredths by K, so this division is exact.
    delta = from_hundredths(Hundredths(to_hundredths(row.change) // k))
    if delta:
        text = _("ΔR = score − PD = %(score)s − %(expected)s = %(delta)s.")
    else:
        text = _(
            "ΔR = score − PD = %(score)s − %(expected)s = %(delta)s: exactly the expected score, so the "
            "rating stays."
        )
    steps.add(
        "change",
        "3.9.1",
        text,
        minor=bool(delta),
        score=score_text(row.half_points or 0),
        expected=from_hundredths(Hundredths(row.expected or 0)),
        delta=delta,
    )
    steps.add(
        "after",
        "3.9.2",
        _("Rn = Ro + K × ΔR = %(before)s + %(k)s × %(factor)s = %(after)s."),
        words={"factor": in_brackets(delta)},
        before=row.before,
        k=k,
        delta=delta,
        amount=row.change,
        after=row.before + row.change,
    )
