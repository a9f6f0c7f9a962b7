"""FIDE's regulations of 1 March 2024 as callers use them: standard, and rapid and blitz.

Readings where the text is open, as decided for this office: the order in which 8.3.3 is asked; below 1400 the
old figure isn't used again, but the games stay; a player without a known year of birth isn't young.
"""

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from ratings.rules.b02 import eligibility_2024, first_ratings_2024, rating_2024, time_controls_2024
from ratings.rules.b02.articles_2024 import ARTICLES, SENTENCES, TEXTS
from ratings.rules.b02.book import Book, Past, PeriodResults
from ratings.rules.b02.findings import Circumstances, Finding, Finds, Stage
from ratings.rules.b02.first_ratings import CountedEvent, FirstRating
from ratings.rules.b02.lists import NEW_PLAYER_GAMES, Lists, Standing, is_inactive
from ratings.rules.b02.lists_2024 import FLOOR, last_list_to_report
from ratings.rules.b02.stages import StageRating
from ratings.rules.b02.types import Chapter, Topic, Tournament
from ratings.rules.cited import Cited
from ratings.rules.units import Hundredths, Points

_K_NEW: Final = 40
_K_UNDER_2400: Final = 20
_K_FROM_2400: Final = 10

_YOUNG_UNTIL: Final = 18
"""8.3.3: birthday in whose year K = 40 ends for a young player."""

_MOST_K_TIMES_GAMES: Final = 700
"""8.3.3: maximum product of K and a player's games in a period."""

_SPLIT_AFTER_DAYS: Final = 30
"""7.1.1, *reading*: days, the first and the last counted, above which a tournament is rated game by game.

Each game then uses the list in force on its own day.
"""


@dataclass(frozen=True, slots=True)
class Book2024(Book):
    """An edition of FIDE's regulations of 2024, with the amendments up to its day.

    ``rates_far_apart``: in rapid and blitz, until the amendment of 1 December 2024 (7.3.1), a game counts
    however far its players are apart.
    """

    rates_far_apart: bool = True

    @property
    def cited_as(self) -> str:
        """The rule book before an article, as citations have it: ``B.02 (2024) 8.3.3``."""
        return "B.02 (2024)" if self.chapter is Chapter.STANDARD else "B.02 RB (2024)"

    @property
    def floor(self) -> Points:
        """The lowest published rating (7.1.2)."""
        return FLOOR

    @property
    def pool_months(self) -> int:
        """Months whose results are taken together for a first rating (7.1.4)."""
        return first_ratings_2024.POOL_MONTHS

    def chapter_of(self, stages: Sequence[Stage], strongest: Points | None) -> Chapter | None:
        """Return the chapter of a time control, by the higher rating of the two players (1.1)."""
        return time_controls_2024.chapter_of(stages, strongest)

    def rate(
        self, tournaments: Sequence[Tournament], who: Sequence[Mapping[int, Hashable]] = ()
    ) -> list[StageRating]:
        """Return the ratings of each stage of an event; most events have one (8)."""
        return rating_2024.rate_stages(tournaments, who, self.edition, self.chapter, self.rates_far_apart)

    def findings(
        self,
        tournament: Tournament,
        circumstances: Circumstances,
        rated: StageRating,
        without_id: Collection[int],
    ) -> list[Finding]:
        """Return everything found in a tournament, in the order of the articles (0.2 to 9.1)."""
        found = eligibility_2024.findings(tournament, circumstances, rated.rating, self.chapter, without_id)
        return sorted(found, key=lambda finding: (self.article(finding.finds), finding.finds))

    def article(self, reason: Cited | Finds) -> str:
        """Return the article for something that this edition decides or finds, without its name."""
        if reason is Topic.EXPECTED and self.chapter is not Chapter.STANDARD:
            return "7.3.1, 8.1.2"
        return ARTICLES[type(reason)][reason]

    def text(self, reason: Cited | Finds) -> str:
        """Return the words for it."""
        return TEXTS.get(type(reason), {}).get(reason, reason.text)

    def own_sentence(self, finds: Finds) -> str:
        """Return how a finding is said of a tournament, if not as in the edition of 2009; else empty."""
        return SENTENCES.get(finds, "")

    def first_rating(
        self, events: Iterable[CountedEvent], list_day: date, disabled: bool = False
    ) -> FirstRating:
        """Return the first rating of a player, as of a list; ``disabled`` doesn't matter (7.1.4, 8.2)."""
        return first_ratings_2024.first_rating(events, list_day)

    def first_rating_games(self, events: Iterable[CountedEvent] = (), disabled: bool = False) -> int:
        """Return how many games a first rating takes: five for everybody (7.1.4)."""
        return first_ratings_2024.FIRST_RATING_GAMES

    def has_earlier_result(self, past: Past) -> bool:
        """Return whether this isn't the very first event of a player without a rating (8.2.1)."""
        return past.has_played or past.delisted_on is not None

    def event_order(
        self, last_day: date, first_day: date, name: str, number: int
    ) -> tuple[date | str | int, ...]:
        """Return the place of an event among those of a period: by its days, then by name."""
        return last_day, first_day, name, number

    def taken_over(self, rating: Points, k: int, birth_year: int | None, list_day: date) -> Standing:
        """Return the standing of a player on an imported list, which tells neither games nor highest rating.

        *Reading:* K = 10 means that 2400 was reached. K = 40 of a young player says nothing of games, so 30
        are taken; K = 20 of a young player that 2300 was reached. Of others, K = 40 means no games yet.
        """
        is_young = _is_young(birth_year, list_day)
        games = 0 if k == _K_NEW and not is_young else NEW_PLAYER_GAMES
        reached_2300 = is_young and k == _K_UNDER_2400
        return self.listed(Standing(None, games, k == _K_FROM_2400, reached_2300), rating, 0)

    def k_in_period(self, at_start: int | None, before: int | None) -> int | None:
        """Return K of a tournament: of the list before the one for which it is rated (8.3.3).

        *Reading:* a player who isn't rated on that list has the K that it would show. So every tournament of
        a period has the same K, whichever list it began under.
        """
        return before

    def seeded(self, own: Standing, standard: Standing) -> Standing:
        """Return a player's standing at the start of a tournament (7.2.1 of rapid and blitz).

        Without a rating in rapid or blitz, the standard rating is used. *Reading:* K is that of a player new
        to the list, so the games and the highest rating are those of the rapid or blitz list.
        """
        if self.chapter is Chapter.STANDARD or own.rating is not None:
            return own
        return own._replace(rating=standard.rating)

    def k(self, standing: Standing, birth_year: int | None, list_day: date) -> int | None:
        """Return K that the list of ``list_day`` shows; None without a rating (8.3.3).

        *Reading:* asked in this order. Once published at 2400 or more: 10 for ever; until the end of the year
        of the 18th birthday and never published at 2300 or more: 40; fewer than 30 games: 40; else 20.
        """
        if standing.rating is None:
            return None
        if standing.reached_2400:
            return _K_FROM_2400
        is_young = _is_young(birth_year, list_day) and not standing.reached_2300
        return _K_NEW if is_young or standing.games < NEW_PLAYER_GAMES else _K_UNDER_2400

    def has_k(self, k: int, rating: Points) -> bool:
        """Return True: K may be lowered to any number for the games of a period (8.3.3)."""
        return True

    def k_of_period(self, k: int, games: int) -> int:
        """Return K for all games of a period, by the K of the list before: at most 700 in all (8.3.3)."""
        return min(k, _MOST_K_TIMES_GAMES // games) if games else k

    def period_change(self, results: PeriodResults) -> Hundredths:
        """Return a player's exact change in a period, K × ΣΔR with one K for all games (8.3.2, 8.3.3)."""
        return Hundredths(self.k_of_period(results.k, results.games) * results.delta)

    def new_rating(self, rating: Points, changes: Iterable[Hundredths]) -> Points:
        """Return the rating of the next list: the change is rounded once, half away from zero (8.3.4).

        −2.50 is −3.
        """
        change = sum(changes)
        points = (abs(change) + 50) // 100
        return Points(rating + points if change >= 0 else rating - points)

    def listed(self, standing: Standing, rating: Points, games: int) -> Standing:
        """Return the standing on the next list with this rating, after ``games`` more rated games (7.2.1).

        *Reading:* below 1400 a player is unrated and the old figure isn't used again; the games stay.
        """
        on_list = super(Book2024, self).listed(standing, rating, games)
        if rating >= self.floor:
            return on_list
        return standing._replace(rating=None, games=standing.games + games)

    def lists_of(
        self,
        rating: Points | None,
        last_game: date,
        list_day: date,
        *,
        was_rated: bool = False,
        titled: bool = False,
    ) -> Lists:
        """Return the lists of ``list_day`` that have a player: only who has a rating is published (7.1.2).

        After a year without a rated game with the flag i, for as long as it takes (7.2.2).
        """
        if rating is None:
            return Lists.NOWHERE
        return Lists.ALPHABETICAL if is_inactive(last_game, list_day) else Lists.ALPHABETICAL | Lists.ACTIVE

    def last_list_to_report(self, last_day: date) -> date:
        """Return the last list for which a tournament can be reported (9.1)."""
        return last_list_to_report(last_day)

    def is_split(self, first_day: date, last_day: date) -> bool:
        """Return whether each game uses the list of its day; :meth:`parts_of` are then rated (7.1.1)."""
        return (last_day - first_day).days + 1 > _SPLIT_AFTER_DAYS


def _is_young(birth_year: int | None, list_day: date) -> bool:
    """Return whether a player's 18th birthday is in this year or later (8.3.3)."""
    return birth_year is not None and list_day.year <= birth_year + _YOUNG_UNTIL
