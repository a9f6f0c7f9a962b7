"""RBB: the steps of an explanation with their articles: of games, first ratings, openings and adjustments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from foa.text import date_text, month_text, points, signed
from ratings.office.explanations import Excerpt, Step, hundredths_text
from ratings.rbb.edition_words import conditions
from ratings.rbb.explanation.sentences import first_rating_of, words_of
from ratings.rbb.models import OpeningRating, OtbAdjustment, RatingChange
from ratings.rbb.models.editions import DecidedEditions
from ratings.rbb.models.fields import EventType
from ratings.rbb.models.ledger import RatingChangeQuerySet
from ratings.rbb.regulations.tables import dp_excerpt, pd_excerpt, span
from ratings.rules.rbb.editions import BONUS_PER_HALF_POINT, Amendment, Edition, WhyK
from ratings.rules.rbb.fide_lists import FIRST_RATING_LISTS, LISTS_OF_CHANGES
from ratings.rules.rbb.rating import (
    FIRST_RATING_GAMES,
    FLOOR,
    Reason,
    first_rating_article,
    fractional_score,
)
from ratings.rules.rounding import displayed, from_hundredths, to_hundredths
from ratings.rules.tables import pd_row
from ratings.rules.time_controls import Category
from ratings.rules.units import HalfPoints, Hundredths, Points


def score_text(half_points: int) -> str:
    """Return half points as the regulations write a score: 0, 0.5, 1, 1.5."""
    return str(Decimal(half_points) / 2)


def in_brackets(amount: Decimal) -> str:
    """Return a summand or factor, in brackets if negative: 0.60, and (−0.60)."""
    return f"({points(amount)})" if amount < 0 else points(amount)


class Steps:
    """The steps of a row, while they are being written."""

    def __init__(
        self, row: RatingChange, earlier: Sequence[RatingChange] | None, editions: DecidedEditions
    ) -> None:
        self.row = row
        self.earlier = earlier
        self.editions = editions
        self.words = words_of(row)
        self.written: list[Step] = []
        self.displayed_before = displayed_rating(row.before)
        self.displayed_after = displayed_rating(row.after)

    @property
    def edition(self) -> Edition:
        """The edition under which the row was calculated."""
        return self.editions.at(self.row.occurred_at)

    def add(
        self,
        name: str,
        articles: str,
        text: str,
        *,
        words: dict[str, str] | None = None,
        excerpt: Excerpt | None = None,
        lines: Iterable[RatingChange] = (),
        minor: bool = False,
        by: Amendment | None = None,
        **values: Any,
    ) -> None:
        """Write a step. Its text uses ``values``, and ``words`` that aren't among the values.

        ``by``: the amendment that gives the number, which the step then cites.
        """
        decision = ""
        if by is not None and by.since is not None:
            values["edition"] = by.since.date().isoformat()
            text += " " + _("Under the rules in force since %(day)s.")
            words = {**(words or {}), "day": date_text(by.since)}
            decision = self.editions.decision_of(by)
        shown = {key: points(value) if isinstance(value, Decimal) else value for key, value in values.items()}
        told = text % {**self.words, **shown, **(words or {})}
        article = ", ".join(articles.split())
        number = len(self.written) + 1
        self.written.append(Step(told, article, tuple(lines), name, values, excerpt, minor, number, decision))

    def before(self) -> None:
        """Write the exact rating before (RBB 3.1 or 3.5)."""
        if self.row.before is None:
            text = _("%(player)s was unrated in %(category)s until then.")
            if self.row.kind is EventType.GAME:
                text = _("%(player)s was unrated in %(category)s before the game.")
            self.add("before", "3.5", text, rating=None)
        elif self.row.kind is EventType.GAME:
            text = _("%(player)s’s exact %(category)s rating before the game: Ro = %(rating)s.")
            self.add("before", "3.1", text, minor=True, rating=self.row.before)
        else:
            text = _("%(player)s’s exact %(category)s rating before the change: %(rating)s.")
            self.add("before", "3.1", text, minor=True, rating=self.row.before)

    def score(self, article: str) -> None:
        """Write the score: 1, 0.5 or 0 (RBB 3.9.1)."""
        half_points = self.row.half_points or 0
        text = (
            _("Score = 0: a loss for %(player)s."),
            _("Score = 0.5: a draw."),
            _("Score = 1: a win for %(player)s."),
        )[half_points]
        self.add("score", article, text, minor=True, score=score_text(half_points))

    def floor(self) -> None:
        """Write the floor if a rating reaches it, or could with one more game (RBB 3.2, 3.3)."""
        row = self.row
        computed = row.before + row.change
        values = {"computed": computed, "floor": from_hundredths(FLOOR)}
        if row.why is Reason.LOST_UNDER_FLOOR:
            text = _(
                "%(computed)s is below the floor of %(floor)s: the %(category)s rating is lost, and no "
                "other rating is affected. Results towards a new first rating count from the next draw "
                "or win against a rated opponent."
            )
            self.add("floor", "3.2 3.3 3.6", text, **values, lost=True)
        elif row.k is not None and to_hundredths(computed) - 100 * row.k < FLOOR:
            text = _(
                "The rating is close to the floor: one game can cost up to %(k)s points, and an exact "
                "rating below %(floor)s is lost. Exactly %(floor)s is kept."
            )
            self.add("floor", "3.2 3.3", text, **values, lost=False, words={"k": str(row.k)})

    def display(self) -> None:
        """Write the displayed ratings before and after (RBB 3.12 to 3.14)."""
        before, after = self.displayed_before, self.displayed_after
        articles = "3.12 3.13"
        if before is None and after is None:
            return
        if before is None:
            text = _(
                "Unrated before, displayed as %(after)s after: the exact rating, with halves rounded up."
            )
        elif after is None:
            text = _("Displayed as %(before)s before, unrated after.")
        elif before != after:
            text = _(
                "Displayed as %(before)s before and %(after)s after: the exact ratings, with halves "
                "rounded up."
            )
        elif self.row.change:
            articles += " 3.14"
            text = _(
                "Displayed as %(before)s both before and after, although the exact rating changes by "
                "%(amount)s."
            )
        else:
            text = _("Displayed as %(before)s both before and after.")
        words = {"amount": signed(self.row.change)}
        self.add("displayed", articles, text, words=words, minor=True, before=before, after=after)


def displayed_rating(rating: Decimal | None) -> int | None:
    """Return an exact rating as displayed; None if unrated (RBB 3.12)."""
    return None if rating is None else displayed(to_hundredths(rating))


def write_rated_game(steps: Steps) -> None:
    """Write the steps for two rated players (RBB 3.9 to 3.11)."""
    row = steps.row
    before, opponent = row.before, row.opponent_rating
    steps.before()
    text = _(
        "%(opponent)s’s exact rating before the game: %(rating)s. Both changes are calculated from the "
        "ratings before the game."
    )
    steps.add("opponent", "3.9 3.11", text, minor=True, rating=opponent)
    steps.add(
        "difference",
        "3.9.1 3.13",
        _("D = %(higher)s − %(lower)s = %(exact)s, rounded to %(rounded)s."),
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
        steps.add(
            "opponent", "3.5", _("%(opponent)s was unrated in %(category)s before the game."), rating=None
        )
        text = _("A game against an unrated player does not change the rating, the number of games or K.")
        steps.add("unaffected", "3.8", text)
    else:
        steps.add(
            "opponent", "3.5", _("%(opponent)s was unrated in %(category)s before the game too."), rating=None
        )
        text = _("Only games against rated opponents count towards a first rating.")
        steps.add("unaffected", "3.6.2", text)


def _write_expected(steps: Steps) -> None:
    """Write PD with its row (RBB 4.2)."""
    row = steps.row
    difference, expected = Points(row.difference or 0), Hundredths(row.expected or 0)
    cap, by = steps.edition.cap, None
    if cap is not None and difference > cap:
        by = steps.edition.by("cap")
        difference = Points(cap)
    first, last, higher, lower = pd_row(difference)
    is_higher = row.before >= row.opponent_rating
    if row.before == row.opponent_rating:
        text = _(
            "PD = %(printed)s: D = %(difference)s falls in row %(row)s of table 4.2. For equal ratings, "
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
    if by is not None:
        text = _("D = %(exact)s counts as %(difference)s.") + " " + text
    words = {"printed": hundredths_text(expected), "row": span(first, last), "exact": str(row.difference)}
    steps.add(
        "expected",
        "3.9.1 4.2",
        text,
        words=words,
        excerpt=pd_excerpt(difference, is_higher),
        difference=difference,
        row_first=first,
        row_last=last,
        higher=from_hundredths(higher),
        lower=from_hundredths(lower),
        column="H" if is_higher else "L",
        expected=from_hundredths(expected),
        by=by,
    )


def _write_k(steps: Steps) -> None:
    """Write K and the reason for it (RBB 3.10)."""
    row, edition = steps.row, steps.edition
    why = _why_k(row, edition)
    game = row.games or None  # losing a rating also loses the number of games
    articles = "3.10.3" if why.new else "3.10.2" if row.category is Category.BULLET else "3.10.1"
    words = {"new": str(edition.k_new)}
    if why.rule is not None:
        articles = "3.10"
        words["whose"] = conditions(why.rule)
        text = _("K = %(k)s: %(whose)s.") if words["whose"] else _("K = %(k)s.")
    elif why.new:
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
            "K = %(k)s for %(category)s: K = %(new)s ended after game %(needed)s, and this is game "
            "%(game)s since %(player)s was last unrated."
        )
    elif game:
        articles += " 3.10.3"
        text = _(
            "K = %(k)s for %(category)s: K = %(new)s does not apply, because %(player)s started with an "
            "existing rating."
        )
    else:
        text = _("K = %(k)s for %(category)s.")
    steps.add("k", articles, text, words=words, by=why.by, k=row.k, game=game, needed=edition.new_games)


def _why_k(row: RatingChange, edition: Edition) -> WhyK:
    """Return what gave the row's K."""
    before = to_hundredths(row.before)
    if row.games:
        return edition.why_k(row.category, before, row.games - 1, row.previously_unrated)
    # A lost rating loses the number of games, too: whatever gives this K.
    numbers = (edition.new_games, 0, *(rule.games[0] for rule in edition.k_rules))
    found = (
        edition.why_k(row.category, before, games, previously)
        for previously in (False, True)
        for games in numbers
    )
    return next((why for why in found if why.k == row.k), WhyK(row.k or 0, None, False, None))


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
            "rating stays the same."
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


_COUNTED: Final = (Reason.RESULT_COUNTED, Reason.FIRST_RATING, Reason.FIRST_RATING_BELOW_FLOOR)


def first_results(rows: RatingChangeQuerySet, count: int) -> tuple[RatingChange, ...]:
    """RBB 3.6: return the last ``count`` results towards a first rating among these rows, oldest first."""
    counted = rows.filter(reason__in=_COUNTED).select_related("opponent").order_by("-occurred_at", "-id")
    return tuple(reversed(counted[:count]))


def write_first_rating(steps: Steps) -> None:
    """RBB 3.6, 3.7: write the step for a result that counts, or a loss that is forgotten."""
    row = steps.row
    steps.before()
    text = _("%(opponent)s’s exact rating at the end of the game: %(rating)s.")
    steps.add("opponent", "3.6", text, rating=row.opponent_rating)
    steps.score("3.6")
    if row.why is Reason.LOSS_FORGOTTEN:
        text = _("A loss before the first draw or win against a rated opponent does not count.")
        steps.add("stage", "3.6.1", text, results=0, needed=FIRST_RATING_GAMES)
        return
    if row.games == 1:
        text = _("The first draw or win against a rated opponent: result 1 of %(needed)s.")
        steps.add("stage", "3.6.1", text, results=row.games, needed=FIRST_RATING_GAMES)
    else:
        text = _(
            "Result %(results)s of %(needed)s: after the first draw or win, every game against a rated "
            "opponent counts."
        )
        steps.add("stage", "3.6.2", text, results=row.games, needed=FIRST_RATING_GAMES)
    _write_results(steps)
    if row.games == FIRST_RATING_GAMES:
        _write_ra_and_rf(steps)


def _write_results(steps: Steps) -> None:
    """RBB 3.6.2: write the results so far, with the opponents' ratings at the time."""
    row = steps.row
    # Counted results follow one another without a gap, five at most.
    if steps.earlier is None:
        rows = RatingChange.objects.filter(member=row.member_id, category=row.category)
        results = (*first_results(rows.earlier_than(row), row.games - 1), row)
    else:
        results = (*steps.earlier[len(steps.earlier) - (row.games - 1) :], row)
    steps.add(
        "results",
        "3.6.2",
        _("Score so far: %(score)s. The opponents’ ratings add up to %(opponents)s."),
        lines=results,
        score=score_text(row.first_half_points),
        opponents=row.first_opponents,
        games=[
            {
                "change": result.pk if result.game_id else None,
                "game": result.game_id,
                "opponent": result.opponent.username if result.opponent else "",
                "opponent_rating": result.opponent_rating,
                "score": score_text(result.half_points or 0),
            }
            for result in results
        ],
    )


def _write_ra_and_rf(steps: Steps) -> None:
    """RBB 3.7: write Ra, what is added to it, and Rf."""
    row = steps.row
    half_points = HalfPoints(row.first_half_points)
    average, added, rating = map(from_hundredths, first_rating_of(row))
    exact = row.first_opponents / FIRST_RATING_GAMES
    if exact == average:
        text = _("Ra = %(opponents)s ÷ %(needed)s = %(average)s, the opponents’ average rating.")
    else:
        text = _(
            "Ra = %(opponents)s ÷ %(needed)s = %(exact)s, rounded to %(average)s: the opponents’ average "
            "rating."
        )
    steps.add(
        "average",
        "3.7.1",
        text,
        words={"exact": str(exact)},
        opponents=row.first_opponents,
        needed=FIRST_RATING_GAMES,
        average=average,
    )
    article = first_rating_article(half_points)
    score = score_text(half_points)
    if article == "3.7.3":
        text = _("%(score)s out of %(needed)s is exactly 50%%: nothing is added to Ra.")
        steps.add("addition", article, text, score=score, needed=FIRST_RATING_GAMES, added=added)
    elif article == "3.7.4":
        over = half_points - FIRST_RATING_GAMES
        text = ngettext(
            "%(score)s out of %(needed)s is one half point over 50%%: %(added)s is added to Ra.",
            "%(score)s out of %(needed)s is %(over)s half points over 50%%, %(each)s points each: "
            "%(added)s is added to Ra.",
            over,
        )
        each = added / over
        steps.add(
            "addition",
            article,
            text,
            words={"each": f"{each.normalize():f}"},
            by=None if each == from_hundredths(BONUS_PER_HALF_POINT) else steps.edition.by("bonus"),
            score=score,
            needed=FIRST_RATING_GAMES,
            over=over,
            added=added,
        )
    else:
        p = fractional_score(half_points)
        excerpt = dp_excerpt(p)
        text = _(
            "p = %(score)s ÷ %(needed)s = %(printed)s: table 4.1 gives dp = %(dp)s, which is added to Ra."
        )
        printed, dp = excerpt.chosen.cells
        steps.add(
            "addition",
            f"{article} 4.1",
            text,
            words={"printed": printed, "dp": dp},
            excerpt=excerpt,
            score=score,
            needed=FIRST_RATING_GAMES,
            p=from_hundredths(p),
            added=added,
        )
    text = _("Rf = %(average)s + %(factor)s = %(after)s.")
    words = {"factor": in_brackets(added)}
    steps.add("after", "3.7.2", text, words=words, average=average, added=added, after=rating)
    if row.why is Reason.FIRST_RATING_BELOW_FLOOR:
        text = _(
            "%(computed)s is below the floor of %(floor)s: %(player)s stays unrated, and has to start again."
        )
        steps.add("floor", "3.2", text, computed=rating, floor=from_hundredths(FLOOR), lost=False)


def write_opening(steps: Steps, opening: OpeningRating) -> None:
    """Explain a first rating from a FIDE list or an earlier system, or that it came too late (RBB 3.4)."""
    applied = steps.row.why is Reason.OPENING
    if applied:
        text = _("%(player)s started with an existing %(category)s rating of %(rating)s. Source: %(source)s.")
    elif steps.row.peak is None:
        text = _(
            "A first rating of %(rating)s (%(source)s) was not applied: if there are several from the "
            "same time, %(player)s’s highest %(category)s rating counts."
        )
    else:
        steps.before()
        text = _(
            "A first rating of %(rating)s (%(source)s) was not applied: %(player)s already had a "
            "%(category)s rating, and a first rating is given only once."
        )
    steps.add(
        "opening",
        "3.4",
        text,
        rating=opening.rating,
        source=opening.source,
        games=opening.games,
        previously_unrated=opening.previously_unrated,
    )
    _write_source(steps, opening)
    if applied and opening.previously_unrated:
        steps.add(
            "k",
            "3.10.3",
            ngettext(
                "The rating was carried over with %(game)s rated game. K = %(k)s until game %(needed)s.",
                "The rating was carried over with %(game)s rated games. K = %(k)s until game %(needed)s.",
                opening.games,
            ),
            k=steps.edition.k_new,
            game=opening.games,
            needed=steps.edition.new_games,
            by=steps.edition.by("k_new", "new_games"),
        )


def _write_source(steps: Steps, opening: OpeningRating) -> None:
    """Write the FIDE list, control and number that a rating came from, if any (RBB 3.4.1 to 3.4.3)."""
    source = getattr(opening, "first_rating", None)
    if source is None:
        return
    steps.add(
        "first_rating",
        "3.4",
        _(
            "The %(month)s FIDE list has a %(control)s rating of %(rating)s. For %(category)s, the first"
            " available rating is used, in this order: %(order)s."
        ),
        words={
            "month": month_text(source.fide_list.period),
            "order": ", ".join(FIRST_RATING_LISTS[opening.category]),
        },
        period=f"{source.fide_list.period:%Y-%m}",
        control=source.control,
        rating=displayed(to_hundredths(opening.rating)),
    )


def write_adjustment(steps: Steps, adjustment: OtbAdjustment) -> None:
    """Explain the over-the-board changes of one FIDE list, or why they weren't added (RBB 3.15)."""
    row = steps.row
    steps.before()
    if row.before is None:
        text = _(
            "The %(month)s FIDE list would have added %(signed)s (%(source)s), but %(player)s was "
            "unrated in %(category)s."
        )
    else:
        text = _("The %(month)s FIDE list adds %(signed)s (%(source)s).")
    steps.add(
        "adjustment",
        "3.15 1.3",
        text,
        words={"month": month_text(adjustment.period), "signed": signed(adjustment.change)},
        period=f"{adjustment.period:%Y-%m}",
        source=adjustment.source,
        amount=adjustment.change,
    )
    _write_lists(steps, adjustment)
    if row.before is None:
        return
    steps.add(
        "after",
        "3.15",
        _("Rn = %(before)s + %(factor)s = %(after)s. The number of games and K stay the same."),
        words={"factor": in_brackets(row.change)},
        before=row.before,
        amount=row.change,
        after=row.before + row.change,
    )
    steps.floor()


def _write_lists(steps: Steps, adjustment: OtbAdjustment) -> None:
    """Write the published ratings on the two lists, unless the change was entered by hand (RBB 3.15)."""
    announced = getattr(adjustment, "announced", None)
    if announced is None or announced.new is None:
        return
    period = adjustment.period
    steps.add(
        "lists",
        "3.15",
        ngettext(
            "FIDE published a %(control)s rating of %(previous)s in %(previous_month)s and of %(new)s in"
            " %(month)s, after %(games)s rated game: %(new)s − %(previous)s = %(difference)s.",
            "FIDE published a %(control)s rating of %(previous)s in %(previous_month)s and of %(new)s in"
            " %(month)s, after %(games)s rated games: %(new)s − %(previous)s = %(difference)s.",
            announced.games,
        ),
        words={
            "previous_month": month_text(period - timedelta(days=1)),
            "month": month_text(period),
            "difference": f"{announced.new - announced.previous:+d}".replace("-", "−"),
        },
        control=LISTS_OF_CHANGES[adjustment.category],
        previous_period=f"{period - timedelta(days=1):%Y-%m}",
        previous=announced.previous,
        period=f"{period:%Y-%m}",
        new=announced.new,
        games=announced.games,
    )
