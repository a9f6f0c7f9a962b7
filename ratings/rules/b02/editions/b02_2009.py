"""Answers that every edition of FIDE's regulations gives; these are those of B.02 of 1 July 2009."""

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import NamedTuple

from ratings.rules.b02 import eligibility, first_ratings, stages
from ratings.rules.b02.expected_score import cap
from ratings.rules.b02.findings import Circumstances, Finding, Finds
from ratings.rules.b02.first_ratings import CountedEvent, FirstRating
from ratings.rules.b02.floors import FLOOR
from ratings.rules.b02.k_factor import Standing, is_k_of_edition, told_by_k
from ratings.rules.b02.lists import UNLISTED_MONTHS, Lists, is_inactive, months_after
from ratings.rules.b02.time_controls import Chapter, Stage, is_standard
from ratings.rules.b02.tournament_rating import StageRating
from ratings.rules.b02.types import Choices, Topic, TournamentToRate
from ratings.rules.cited import Cited, _
from ratings.rules.rounding import displayed
from ratings.rules.units import Hundredths, Points


class PeriodResults(NamedTuple):
    """Sum of the tournaments of a period for a player with a rating.

    ``k``: of the list before. ``games``: rated games. ``change``: the sum of ``EntrantResult.change`` of the
    tournaments, each with the K of its own list; ``delta``: that of ``EntrantResult.delta``. Hundredths.
    """

    k: int
    games: int
    change: Hundredths
    delta: Hundredths


class LeaguePart(NamedTuple):
    """The rounds of a league that are rated together, as a tournament of its own.

    ``in_force``: list date whose ratings they are rated with; ``rated_on``: of the first list on which
    they can be rated (7.13). ``rounds``: their numbers; ``first_day``, ``last_day``: days of play.
    """

    in_force: date
    rated_on: date
    rounds: tuple[int, ...]
    first_day: date
    last_day: date


class Past(NamedTuple):
    """Earlier results of a player without a rating.

    ``events``: results that may enter a first rating, each with the day of its list; ``delisted_on``: day of
    the list that made them a new player again; ``has_played``: they have had any result before.
    """

    events: Collection[tuple[date, CountedEvent]]
    delisted_on: date | None
    has_played: bool


@dataclass(frozen=True, slots=True)
class Edition:
    """An edition of B.02. ``since``: the day from which it is in force; ``name`` as it is cited.

    ``chapter``: the ratings it is for. For a tournament, the edition of its first day applies (0.1); for a
    list, that of the list date.
    """

    name: str
    since: date
    choices: Choices = field(default_factory=Choices)
    chapter: Chapter = Chapter.STANDARD

    @property
    def cited_as(self) -> str:
        """The rule book before an article, as citations have it: ``B.02 8.56``."""
        return "B.02"

    @property
    def slug(self) -> str:
        """Name of the regulations in the address of their page, the same for all amendments."""
        return "b02"

    @property
    def title(self) -> str:
        """Name of the regulations as pages have it, the same for all amendments."""
        return _("FIDE’s regulations B.02 of 1 July 2009")

    @property
    def floor(self) -> Points:
        """The lowest published rating (B.02 0.6)."""
        return FLOOR

    @property
    def pool_months(self) -> int:
        """Months whose results are taken together for a first rating (B.02 7.14(c))."""
        return first_ratings.POOL_MONTHS

    def chapter_of(self, stages: Sequence[Stage], strongest: Points | None) -> Chapter | None:
        """Return the chapter of a time control, by the highest rating; None if it is of none (B.02 1.1)."""
        return Chapter.STANDARD if is_standard(stages, strongest) else None

    def cap(self, rating: Points | None) -> int:
        """Return the greatest difference that counts for the change of a player with this rating (8.54)."""
        return cap(self.choices, rating)

    def rate(
        self, tournaments: Sequence[TournamentToRate], who: Sequence[Mapping[int, Hashable]] = ()
    ) -> list[StageRating]:
        """Return the ratings of each stage of an event; most events have one (B.02 8, 6.2)."""
        return stages.rate_stages(tournaments, who, self.choices)

    def findings(
        self,
        tournament: TournamentToRate,
        circumstances: Circumstances,
        rated: StageRating,
        without_id: Collection[int],
    ) -> list[Finding]:
        """Return everything found in a tournament, in the order of the articles (B.02 0.4 to 6.6)."""
        return eligibility.findings(tournament, circumstances, rated.rating, rated.whole, without_id)

    def article(self, reason: Cited | Finds) -> str:
        """Return the article for something that this edition decides or finds, without its name."""
        return reason.article

    def text(self, reason: Cited | Finds) -> str:
        """Return the words for it."""
        return reason.text

    def has(self, topic: Topic) -> bool:
        """Return whether this edition has a rule about it."""
        return bool(self.article(topic))

    def own_sentence(self, finds: Finds) -> str:
        """Return how a finding is said of a tournament, if not as in the edition of 2009; else empty."""
        return ""

    def cite(self, reason: Cited | Finds) -> str:
        """Return the article with the name of the rule book, as pages cite it."""
        return f"{self.cited_as} {self.article(reason)}"

    def sentence(self, reason: Cited | Finds) -> str:
        """Return article and words, as files show them."""
        return f"{self.article(reason)} {self.text(reason)}"

    def first_rating(
        self, events: Iterable[CountedEvent], list_day: date, disabled: bool = False
    ) -> FirstRating:
        """Return the first rating of a player, as of a list (B.02 7.14, 8.3)."""
        return first_ratings.first_rating(events, list_day, self.choices, disabled)

    def first_rating_games(self, events: Iterable[CountedEvent] = (), disabled: bool = False) -> int:
        """Return how many games a first rating takes, for a player with these events (B.02 7.14)."""
        return first_ratings.games_needed(events, disabled)

    def has_earlier_result(self, past: Past) -> bool:
        """Return whether a player without a rating has an earlier result (B.02 6.1).

        That is one which can be a first result by itself, and is from after they were delisted (7.21).
        """
        since = past.delisted_on
        return any(
            event.why_not_first is None and (since is None or rated_for > since)
            for rated_for, event in past.events
        )

    def taken_over(self, rating: Points, k: int, birth_year: int | None, list_day: date) -> Standing:
        """Return the standing of a player on an imported list, as far as its K tells."""
        return self.listed(told_by_k(k), rating, 0)

    def event_order(
        self, last_day: date, first_day: date, name: str, number: int
    ) -> tuple[date | str | int, ...]:
        """Return the place of an event among those of a period: by its days, then as the office learnt of it.

        ``number``: the office's own, which grows.
        """
        return last_day, first_day, number

    def rates_again(self, other: "Edition") -> bool:
        """Return whether this edition can rate a list of the other again: an amendment can."""
        return self.cited_as == other.cited_as

    def k_in_period(self, at_start: int | None, before: int | None) -> int | None:
        """Return K of a tournament: of the list in force on its first day, ``at_start`` (B.02 4.13).

        ``before``: of the list before the one for which it is rated, or what that list would show if the
        player had a rating on it.
        """
        return at_start

    def seeded(self, own: Standing, standard: Standing) -> Standing:
        """Return a player's standing at the start of a tournament, by their standing in standard too."""
        return own

    def k(self, standing: Standing, birth_year: int | None, list_day: date) -> int | None:
        """Return K that the list of ``list_day`` shows; None without a rating (B.02 8.56)."""
        return standing.k

    def has_k(self, k: int, rating: Points) -> bool:
        """Return whether a list of this edition can have this K beside this rating (B.02 8.56)."""
        return is_k_of_edition(k, rating)

    def k_of_period(self, k: int, games: int) -> int:
        """Return K for all games of a period, by the K of the list before (B.02 8.56)."""
        return k

    def period_change(self, results: PeriodResults) -> Hundredths:
        """Return a player's exact change in a period (B.02 8.55(c))."""
        return results.change

    def new_rating(self, rating: Points, changes: Iterable[Hundredths]) -> Points:
        """Return Ro + all changes of the period (hundredths), rounded once, half up (B.02 8.55(c), 8.57)."""
        return displayed(Hundredths(100 * rating + sum(changes)))

    def listed(self, standing: Standing, rating: Points, games: int) -> Standing:
        """Return the standing on the next list with this rating, after ``games`` more games (B.02 7.21).

        Every edition remembers 2300, for the K of later ones.
        """
        return standing.listed(rating, games)

    def lists_of(
        self,
        rating: Points | None,
        last_game: date,
        list_day: date,
        *,
        was_rated: bool = False,
        titled: bool = False,
    ) -> Lists:
        """Return the lists of ``list_day`` that have a player (B.02 7.12, 7.2).

        ``last_game``: day of their last rated game. ``was_rated``: the list before had a rating of theirs.
        """
        if rating is None:
            found = Lists.DELISTED if was_rated else Lists.NOWHERE
            return found | Lists.TITLED if titled else found
        if last_game < months_after(list_day, -UNLISTED_MONTHS):
            return Lists.NOWHERE
        return Lists.ALPHABETICAL if is_inactive(last_game, list_day) else Lists.ALPHABETICAL | Lists.ACTIVE

    def list_in_force(self, day: date) -> date:
        """Return the first list date for a tournament that begins on ``day`` (B.02 7.11, 7.3)."""
        return date(day.year, day.month - (day.month - 1) % self.choices.months_per_list, 1)

    def next_list(self, list_day: date) -> date:
        """Return the first list date after the one of ``list_day`` (B.02 7.11, 7.3)."""
        return months_after(self.list_in_force(list_day), self.choices.months_per_list)

    def rated_on(self, last_day: date, official: bool = False) -> date:
        """Return the first list that can rate a tournament that ended on ``last_day`` (B.02 7.13)."""
        list_day = self.next_list(last_day)
        return list_day if last_day <= self.closing_day(list_day, official) else self.next_list(list_day)

    def last_list_to_report(self, last_day: date) -> date | None:
        """Return the last list for which a tournament can be reported; None if there is always another."""
        return None

    def is_split(self, first_day: date, last_day: date) -> bool:
        """Return whether a tournament is so long that :meth:`parts_of` it are rated."""
        return False

    def parts_of(self, round_days: Mapping[int, date], official: bool = False) -> list[LeaguePart]:
        """Return the parts of a league that is rated period by period, by their days (B.02 4.11, 4.13, 7.13).

        Rounds are of one part if the same list is in force on their days, and the same list can rate them
        first. A round in the last week of a period is therefore a part of its own: it has the ratings of that
        period, and is rated with the next.
        """
        found: dict[tuple[date, date], list[tuple[date, int]]] = {}
        for number, day in round_days.items():
            key = self.list_in_force(day), self.rated_on(day, official)
            found.setdefault(key, []).append((day, number))
        return [
            LeaguePart(*key, tuple(sorted(number for _, number in rounds)), min(rounds)[0], max(rounds)[0])
            for key, rounds in sorted(found.items())
        ]

    def closing_day(self, list_day: date, official: bool = False) -> date:
        """Return the last day on which a tournament for the list of ``list_day`` can end (B.02 7.13).

        Seven days before it, three in the edition of 2024; for official FIDE tournaments the day before it.
        """
        return list_day - timedelta(days=1 if official else self.choices.closing_days)
