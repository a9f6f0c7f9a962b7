"""FIDE's regulations of 1 March 2024, standard and rapid and blitz: their answers, articles and words.

Standard, and rapid and blitz have the same numbers of articles where both have the rule. *Reading:* below
1400 the old figure isn't used again, but the games stay.
"""

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import IntEnum
from typing import ClassVar, Final

from ratings.rules.b02 import eligibility, first_ratings
from ratings.rules.b02.editions.b02_2009 import Edition, Past, PeriodResults
from ratings.rules.b02.findings import Circumstances, Finding, Finds
from ratings.rules.b02.first_ratings import CountedEvent, FirstRating, Publication
from ratings.rules.b02.floors import FLOOR_2024
from ratings.rules.b02.k_factor import Standing, k_2024, k_of_period_2024, told_by_k_2024
from ratings.rules.b02.lists import Lists, is_inactive, last_list_to_report
from ratings.rules.b02.time_controls import Chapter, Stage, chapter_of_2024
from ratings.rules.b02.tournament_rating import StageRating, rate_stages_2024
from ratings.rules.b02.types import GameReason, Outcome, Topic, TournamentToRate
from ratings.rules.cited import Cited, _
from ratings.rules.units import Hundredths, Points

# By class: members of different classes may be equal as numbers.
ARTICLES: Final[Mapping[type[IntEnum], Mapping[IntEnum, str]]] = {
    GameReason: {
        GameReason.RATED: "8.3",
        GameReason.TOWARDS_RATING: "8.2",
        GameReason.NOT_PLAYED: "5.1",
        GameReason.BOTH_UNRATED: "8.2.3",
        GameReason.OPPONENT_UNRATED: "8.2.3",
        GameReason.MATCH_DECIDED: "6.2",
        GameReason.MATCH_UNRATED: "6.1",
        GameReason.TOO_FAST: "1.1",
        GameReason.TOO_FAR_APART: "7.3.1",
    },
    Outcome: {
        Outcome.CHANGED: "8.3.2",
        Outcome.NEW_RESULT: "8.2",
        Outcome.NOTHING_RATED: "5.1, 8.2.3",
        Outcome.ZERO_SCORE: "8.2.1",
    },
    Topic: {
        Topic.LIST_IN_FORCE: "7.1.1",
        Topic.LATER_RATING: "8.2.4",
        Topic.EXPECTED: "8.3.1, 8.1.2",
        Topic.SUM_OF_EXPECTED: "8.3.2",
        Topic.DIFFERENCE: "8.3.2",
        Topic.K: "8.3.3",
        Topic.CHANGE: "8.3.2",
        Topic.NEW_RATING: "8.3.4",
        Topic.CLOSING_DAY: "7.1.3",
        Topic.STANDARD_RATING: "7.2.1",
        Topic.OPPONENTS: "8.2.2",
        Topic.FIRST_RATING: "8.2.3",
        Topic.FIRST_EVENT: "8.2.1",
        Topic.GAMES_NEEDED: "7.1.4",
        Topic.PROSPECT: "7.1.4, 8.2",
        Topic.LIST_DAYS: "7.1",
        Topic.FEWER_GAMES: "",
        Topic.WHOLE_LIST: "7.1.2, 7.2.2",
        Topic.ACTIVE: "7.2.2",
        **dict.fromkeys(
            (
                Topic.STAGES,
                Topic.BY_PERIOD,
                Topic.APPEAL,
                Topic.ANNOUNCED_UNRATED,
                Topic.TOP,
                Topic.DELISTED,
                Topic.TITLED,
                Topic.DRIFT,
                Topic.MANY_GAMES,
            ),
            "",
        ),
    },
    Publication: {
        Publication.PUBLISHED: "7.1.4, 8.2",
        Publication.FEW_GAMES: "7.1.4",
        Publication.BELOW_FLOOR: "7.1.4",
        Publication.NO_RESULT: "7.1.4",
    },
    Finds: {
        Finds.NOT_REGISTERED: "0.2",
        Finds.CONTROL_UNKNOWN: "1.1",
        Finds.NO_CHAPTER: "1.1",
        Finds.OTHER_CHAPTER: "1.1",
        Finds.SHORT_CONTROL: "1.1",
        Finds.GAME_TOO_FAST: "1.1",
        Finds.UNEQUAL_TIMES: "1.2",
        Finds.OTHER_LAWS: "2.1",
        Finds.NOT_PLAYED: "5.1",
        Finds.POINTS_OF_BYES: "5.1",
        Finds.PENALTY: "5.1",
        Finds.MATCH_UNRATED: "6.1",
        Finds.NOT_TWO_PLAYERS: "6.1, 6.2",
        Finds.MATCH_DECIDED: "6.2",
        Finds.OTHER_DAYS: "7.1.1",
        Finds.OTHER_NAME: "7.1.1",
        Finds.NO_FIDE_ID: "7.1.2",
        Finds.UNFINISHED: "7.1.3",
        Finds.TOO_FAR_APART: "7.3.1",
        Finds.ZERO_SCORE: "8.2.1",
        Finds.REPORTED_LATE: "9.1",
    },
}
"""Articles of everything that this edition decides or finds; what is missing is of 2009 alone."""


TEXTS: Final[Mapping[type[IntEnum], Mapping[IntEnum, str]]] = {
    Outcome: {Outcome.ZERO_SCORE: _("left out: no points in the very first tournament")},
    Publication: {Publication.NO_RESULT: _("no result from the last 26 months counts")},
    Finds: {Finds.ZERO_SCORE: "new player without a point in the very first event: left out"},
}
"""Words where they aren't those of 2009."""


SENTENCES: Final[Mapping[Finds, str]] = {
    Finds.ZERO_SCORE: _(
        "%(player)s, who has no rating, scored no points in their very first tournament, so it doesn’t count"
    ),
}
"""Sentences about a tournament where they aren't those of 2009."""


_SPLIT_AFTER_DAYS: Final = 30
"""7.1.1, *reading*: days, the first and the last counted, above which a tournament is rated game by game.

Each game then uses the list in force on its own day.
"""


@dataclass(frozen=True, slots=True)
class Edition2024(Edition):
    """An edition of FIDE's regulations of 2024, with the amendments up to its day.

    ``rates_far_apart``: in rapid and blitz, until the amendment of 1 December 2024 (7.3.1), a game counts
    however far its players are apart.
    """

    articles: ClassVar[Mapping[type[IntEnum], Mapping[IntEnum, str]]] = ARTICLES
    texts: ClassVar[Mapping[type[IntEnum], Mapping[IntEnum, str]]] = TEXTS
    sentences: ClassVar[Mapping[Finds, str]] = SENTENCES

    rates_far_apart: bool = True

    @property
    def cited_as(self) -> str:
        """The rule book before an article, as citations have it: ``B.02 (2024) 8.3.3``."""
        return "B.02 (2024)" if self.chapter is Chapter.STANDARD else "B.02 RB (2024)"

    @property
    def slug(self) -> str:
        """Name of the regulations in the address of their page, the same for all amendments."""
        return "b02-2024" if self.chapter is Chapter.STANDARD else "b02-rapid-blitz-2024"

    @property
    def title(self) -> str:
        """Name of the regulations as pages have it, the same for all amendments."""
        if self.chapter is Chapter.STANDARD:
            return _("FIDE’s Rating Regulations of 1 March 2024")
        return _("FIDE’s Rapid and Blitz Rating Regulations of 1 March 2024")

    @property
    def floor(self) -> Points:
        """The lowest published rating (7.1.2)."""
        return FLOOR_2024

    @property
    def pool_months(self) -> int:
        """Months whose results are taken together for a first rating (7.1.4)."""
        return first_ratings.POOL_MONTHS_2024

    def chapter_of(self, stages: Sequence[Stage], strongest: Points | None) -> Chapter | None:
        """Return the chapter of a time control, by the higher rating of the two players (1.1)."""
        return chapter_of_2024(stages, strongest)

    def rate(
        self, tournaments: Sequence[TournamentToRate], who: Sequence[Mapping[int, Hashable]] = ()
    ) -> list[StageRating]:
        """Return the ratings of each stage of an event; most events have one (8)."""
        return rate_stages_2024(tournaments, who, self.choices, self.chapter, self.rates_far_apart)

    def findings(
        self,
        tournament: TournamentToRate,
        circumstances: Circumstances,
        rated: StageRating,
        without_id: Collection[int],
    ) -> list[Finding]:
        """Return everything found in a tournament, in the order of the articles (0.2 to 9.1)."""
        found = eligibility.findings_2024(tournament, circumstances, rated.rating, self.chapter, without_id)
        return sorted(found, key=lambda finding: (self.article(finding.finds), finding.finds))

    def article(self, reason: Cited | Finds) -> str:
        """Return the article for something that this edition decides or finds, without its name."""
        if reason is Topic.EXPECTED and self.chapter is not Chapter.STANDARD:
            return "7.3.1, 8.1.2"
        return self.articles[type(reason)][reason]

    def text(self, reason: Cited | Finds) -> str:
        """Return the words for it."""
        return self.texts.get(type(reason), {}).get(reason, reason.text)

    def own_sentence(self, finds: Finds) -> str:
        """Return how a finding is said of a tournament, if not as in the edition of 2009; else empty."""
        return self.sentences.get(finds, "")

    def first_rating(
        self, events: Iterable[CountedEvent], list_day: date, disabled: bool = False
    ) -> FirstRating:
        """Return the first rating of a player, as of a list; ``disabled`` doesn't matter (7.1.4, 8.2)."""
        return first_ratings.first_rating_2024(events, list_day)

    def first_rating_games(self, events: Iterable[CountedEvent] = (), disabled: bool = False) -> int:
        """Return how many games a first rating takes: five for everybody (7.1.4)."""
        return first_ratings.FIRST_RATING_GAMES_2024

    def has_earlier_result(self, past: Past) -> bool:
        """Return whether this isn't the very first event of a player without a rating (8.2.1)."""
        return past.has_played or past.delisted_on is not None

    def event_order(
        self, last_day: date, first_day: date, name: str, number: int
    ) -> tuple[date | str | int, ...]:
        """Return the place of an event among those of a period: by its days, then by name."""
        return last_day, first_day, name, number

    def taken_over(self, rating: Points, k: int, birth_year: int | None, list_day: date) -> Standing:
        """Return the standing of a player on an imported list, as far as its K tells."""
        return self.listed(told_by_k_2024(k, birth_year, list_day), rating, 0)

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
        """Return K that the list of ``list_day`` shows; None without a rating (8.3.3)."""
        return k_2024(standing, birth_year, list_day)

    def has_k(self, k: int, rating: Points) -> bool:
        """Return True: K may be lowered to any number for the games of a period (8.3.3)."""
        return True

    def k_of_period(self, k: int, games: int) -> int:
        """Return K for all games of a period, by the K of the list before: at most 700 in all (8.3.3)."""
        return k_of_period_2024(k, games)

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
        on_list = super(Edition2024, self).listed(standing, rating, games)
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
