"""The articles of FIDE's regulations of 2024, in the office's own words, and how it reads them.

Standard, and rapid and blitz, have the same numbers where both have the rule.
"""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext_lazy as _

from ratings.office.rule_books import Article, Section

_REGISTRATION: Final = Section(
    "0",
    _("What can be rated"),
    (
        Article(
            "0.2",
            _("A tournament is rated only if its federation registers it beforehand."),
            _(
                "The office asks whether it was registered, and not how many days ahead. FIDE’s own "
                "tournaments need no registration."
            ),
        ),
    ),
)

_STANDARD_TIME: Final = Section(
    "1",
    _("Time for a game"),
    (
        Article(
            "1.1",
            _(
                "The stronger player of a game decides how much time each of the two must have for 60 moves: "
                "120 minutes from 2400 on, 90 from 1800 on, 60 below 1800. A first time control that is "
                "given in moves has at least 30 of them."
            ),
            _(
                "The time is the base time and 60 increments, with later stages that start within 60 moves. "
                "Ratings are those of the list in force, and a player without one counts as below 1800. A "
                "tournament needs at least 60 minutes. A game with too little time for its players is not "
                "rated; the others are."
            ),
        ),
    ),
)

_RAPID_AND_BLITZ_TIME: Final = Section(
    "1",
    _("Time for a game"),
    (
        Article(
            "1.1",
            _("The time for a game decides on which list it counts."),
            _("The time is the base time and 60 increments."),
        ),
        Article("1.1.1", _("Rapid: each player has more than 10 and less than 60 minutes.")),
        Article("1.1.2", _("Blitz: each player has more than 3 and at most 10 minutes.")),
        Article(
            "1.2",
            _("Games in which the two players have different times are not rated."),
            _("A tournament with such games is not rated."),
        ),
    ),
)

_LAWS: Final = Section(
    "2",
    _("Laws of chess"),
    (
        Article(
            "2.1",
            _("Games are played by FIDE’s laws of chess."),
            _("What was changed is on the tournament’s page. Without consent it isn’t rated."),
        ),
    ),
)

_NOT_PLAYED: Final = Section(
    "5",
    _("Games that are not played"),
    (
        Article(
            "5.1",
            _(
                "A game that was not played does not count, whatever the reason. Once both sides have made a "
                "move it counts, unless it is taken out for fair play or force majeure."
            ),
            _(
                "Forfeits and byes give neither a game nor a point. A played game with a penalty, such as "
                "0–0, counts for each player by their own score, after consent."
            ),
        ),
    ),
)

_MATCHES: Final = Section(
    "6",
    _("Matches"),
    (
        Article("6.1", _("A match with an unrated player is not rated.")),
        Article(
            "6.2",
            _("Once a match is decided, its other games are not rated, unless that was asked for before it."),
            _("It is decided when one player has more than half the points of all planned games."),
        ),
    ),
)

_LISTS: Final = (
    Article(
        "7.1",
        _(
            "A list is published on the first day of each month. It is the list before, with everything that "
            "was rated in the period."
        ),
        _(
            "A tournament is rated under the edition of its first day, a list is made under that of its own "
            "day."
        ),
    ),
    Article(
        "7.1.1",
        _(
            "The list in force on the first day counts for all games and players of a tournament, even if it "
            "is rated later."
        ),
        _("In a tournament of more than 30 days, each game uses the list in force on its own day."),
    ),
    Article(
        "7.1.2",
        _(
            "The list has every player with a rating of at least 1400: title, federation, rating, FIDE ID, "
            "games of the period, year of birth, sex and K."
        ),
        _(
            "The rounded rating is compared: 1400 is published, 1399 is not. A result counts towards a first "
            "rating only with a FIDE ID."
        ),
    ),
    Article(
        "7.1.3",
        _(
            "A tournament must end three days before the list or earlier. FIDE’s own events may end one day "
            "before it."
        ),
        _("A tournament that ends later is rated for the next list."),
    ),
    Article(
        "7.1.4",
        _(
            "A first rating is published after five games against rated players within 26 periods in a row, "
            "if it is 1400 or more."
        ),
        _("All results of these periods are taken together. An event counts in the period in which it ends."),
    ),
    Article("7.2", _("Who is on the list:")),
)

_BELOW_FLOOR: Final = _(
    "A player whose rating falls below 1400 has none on the next list, and from then on counts as a player "
    "without a rating."
)

_INACTIVE: Final = Article(
    "7.2.2",
    _(
        "A player without a rated game for a year is inactive, and marked i. The list after their next rated "
        "game has them as active. The rating stays."
    ),
)

_STANDARD_LISTS: Final = Section(
    "7",
    _("The list"),
    (
        *_LISTS,
        Article(
            "7.2.1",
            _BELOW_FLOOR,
            _("The old figure is not used again. The games stay among the 30 of 8.3.3."),
        ),
        _INACTIVE,
    ),
)

_RAPID_AND_BLITZ_LISTS: Final = Section(
    "7",
    _("The list"),
    (
        *_LISTS,
        Article(
            "7.2.1",
            _(
                "A player who has a standard rating at the start, but none in rapid or blitz, plays with the "
                "standard rating and counts as rated."
            ),
            _(
                "K is that of a player who is new to the list. A rating that falls below 1400 is lost as in "
                "standard."
            ),
        ),
        _INACTIVE,
        Article(
            "7.3.1",
            _(
                "A difference of more than 400 points counts as 400. A game is not rated if the players are "
                "600 points or more apart and one of them is rated above 2600."
            ),
            _(
                "The second rule applies to tournaments that start on 1 December 2024 or later. Ratings are "
                "those of the list in force."
            ),
        ),
    ),
)

_TABLES_AND_NEW_PLAYERS: Final = (
    Article("8.1", _("Two tables:")),
    Article("8.1.1", _("From a score p to a difference dp."), _("This is the table of RBB 4.1.")),
    Article("8.1.2", _("From a difference D to the expected score PD."), _("This is the table of RBB 4.2.")),
    Article("8.2", _("The rating of a new player, Ru:")),
    Article(
        "8.2.1",
        _("If the very first event brings a player no point, it is forgotten. Everything later counts."),
        _("A point against an unrated player does not count here. All stages of an event are one event."),
    ),
    Article(
        "8.2.2",
        _(
            "Two hypothetical opponents rated 1800 are added, with a draw against each. Ra is the average of "
            "all n + 2 ratings."
        ),
    ),
    Article(
        "8.2.3",
        _(
            "p is the score and one point, divided by n + 2. Ru is Ra plus dp of 8.1.1 for p, rounded to a "
            "whole number, and at most 2200."
        ),
        _(
            "p is rounded to hundredths and Ru once, a half upwards. This is the same above 50 % and below, "
            "in a Swiss and in a round robin. Games against unrated players count for nobody."
        ),
    ),
    Article(
        "8.2.4",
        _(
            "A player who gets a rating after the event has started, and before it is rated, plays it with "
            "that rating."
        ),
        _("For the opponents, the player has no rating."),
    ),
    Article("8.3", _("The change of a rated player:")),
)

_CAP: Final = Article(
    "8.3.1",
    _(
        "A difference of more than 400 points counts as 400. For the change of a player rated 2650 or more "
        "it counts as it is."
    ),
    _(
        "The second rule applies to tournaments that start on 1 October 2025 or later. The opponent’s change "
        "follows from the opponent’s own rating."
    ),
)

_CHANGES: Final = (
    Article(
        "8.3.2",
        _(
            "PD of 8.1.2 is the expected score of a game. ΔR is the score less PD. K × ΣΔR is the change of "
            "a period."
        ),
    ),
    Article(
        "8.3.3",
        _(
            "K is 10 for ever once the published rating was 2400. It is 40 until the end of the year of the "
            "18th birthday, if the published rating was never 2300. It is 40 for the first 30 games, and "
            "then 20. If K × n is above 700 for n games of a period, K is the largest whole number for which "
            "it isn’t."
        ),
        _(
            "The article gives no order; this one is used. K is that of the list before, for all games of "
            "the period; a player who isn’t rated on that list has the K that it would show. A player whose "
            "year of birth isn’t known counts as older than 18."
        ),
    ),
    Article(
        "8.3.4",
        _(
            "The change of a period is rounded once to a whole number and added to the rating. A half is "
            "rounded away from zero."
        ),
    ),
)

_CALCULATION: Final = _("How ratings are calculated")

_REPORTS: Final = Section(
    "9",
    _("Reports"),
    (
        Article(
            "9.1",
            _("A tournament whose report misses the third list after its end is not rated."),
        ),
    ),
)

STANDARD: Final = (
    _REGISTRATION,
    _STANDARD_TIME,
    _LAWS,
    _NOT_PLAYED,
    _MATCHES,
    _STANDARD_LISTS,
    Section("8", _CALCULATION, (*_TABLES_AND_NEW_PLAYERS, _CAP, *_CHANGES)),
    _REPORTS,
)

RAPID_AND_BLITZ: Final = (
    _REGISTRATION,
    _RAPID_AND_BLITZ_TIME,
    _LAWS,
    _NOT_PLAYED,
    _MATCHES,
    _RAPID_AND_BLITZ_LISTS,
    Section("8", _CALCULATION, (*_TABLES_AND_NEW_PLAYERS, *_CHANGES)),
    _REPORTS,
)
