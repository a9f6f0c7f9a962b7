"""FIDE's regulations of 1 March 2024: articles and words for what the rules decide and find.

Standard, and rapid and blitz have the same numbers where both have the rule.
"""

from collections.abc import Mapping
from enum import IntEnum
from typing import Final

from ratings.rules.b02.findings import Finds
from ratings.rules.b02.first_ratings import Publication
from ratings.rules.b02.types import GameReason, Outcome, Topic
from ratings.rules.cited import _

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
    Outcome: {Outcome.ZERO_SCORE: _("left out: no point in the very first event")},
    Publication: {Publication.NO_RESULT: _("no result of the last 26 months counts")},
    Finds: {Finds.ZERO_SCORE: "new player without a point in the very first event: left out"},
}
"""Words where they aren't those of 2009."""

SENTENCES: Final[Mapping[Finds, str]] = {
    Finds.ZERO_SCORE: _(
        "%(player)s, who has no rating, scored no point in their very first event, so it doesn’t count"
    ),
}
"""Sentences about a tournament where they aren't those of 2009."""
