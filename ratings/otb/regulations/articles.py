"""The articles of FIDE B.02 that the office cites, in its own words, and how it reads them."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext_lazy as _

from ratings.office.rule_books import Article, Section

SECTIONS: Final = (
    Section(
        "0",
        _("What can be rated"),
        (
            Article(
                "0.1",
                _("Only the FIDE Congress can change these regulations."),
                _(
                    "A tournament is rated under the edition of its first day, a list under that of its own "
                    "day."
                ),
            ),
            Article(
                "0.2",
                _(
                    "All important events should be rated. A top event can be rated even if its federation "
                    "sends no report."
                ),
                _(
                    "The office then brings in a report itself, for example the organizer’s, and enters the "
                    "event as one of FIDE’s own, which needs no registration. It is rated like any other."
                ),
            ),
            Article(
                "0.3",
                _(
                    "FIDE’s own tournaments are always rated. The organizer sends in the results and pays "
                    "the fee."
                ),
                _("The fee is owed once a report is received. It never keeps a tournament from being rated."),
            ),
            Article(
                "0.4",
                _("A tournament is rated only if its federation registers it at least a month ahead."),
                _("A late registration needs consent. FIDE’s own tournaments need no registration."),
            ),
            Article("0.5", _("A tournament can be refused. The organizer can appeal within seven days.")),
            Article(
                "0.6",
                _("The lowest published rating is 1200."),
                _("1200 is published, 1199 is not. The rounded rating is compared."),
            ),
        ),
    ),
    Section(
        "1",
        _("Time for a game"),
        (
            Article(
                "1.1",
                _(
                    "Each player has at least 120 minutes for 60 moves. If no player has 2200 or more, 90 "
                    "minutes are enough; if none has 1600 or more, 60 are."
                ),
                _("Increments count for 60 moves, and so do later stages that start within them."),
            ),
            Article(
                "1.3", _("The first time control should be at move 40."), _("Advice: the report gets a note.")
            ),
        ),
    ),
    Section(
        "2",
        _("Laws of chess"),
        (
            Article(
                "2.1",
                _(
                    "Games are played by FIDE’s laws of chess. A federation may change them a little, with "
                    "the consent of FIDE’s Technical Commission."
                ),
                _("What was changed is on the tournament’s page. Without consent it isn’t rated."),
            ),
        ),
    ),
    Section(
        "3",
        _("Rounds a day"),
        (
            Article(
                "3.1",
                _("A day has at most three rounds and twelve hours of play."),
                _("A round counts as twice the time that a player has for 60 moves."),
            ),
        ),
    ),
    Section(
        "4",
        _("Length of a tournament"),
        (
            Article(
                "4.1", _("A tournament lasts at most 90 days."), _("The first and the last day are included.")
            ),
            Article(
                "4.11",
                _("A league may last longer, and can be rated period by period."),
                _(
                    "The league is registered so before its first round. The choice can’t change after a "
                    "report."
                ),
            ),
            Article("4.12", _("Other tournaments may last longer if the chairman approves.")),
            Article(
                "4.13",
                _("The ratings of the list in force on the first day count for the whole tournament."),
                _("A league that is rated period by period uses the list in force on the day of each round."),
            ),
        ),
    ),
    Section(
        "5",
        _("Games that are not played"),
        (
            Article(
                "5.1",
                _("A game counts once each side has made a move."),
                _(
                    "Forfeits and byes give neither a game nor a point. A played game with a penalty, such "
                    "as 0–0, counts for each player by their own score, after consent."
                ),
            ),
        ),
    ),
    Section(
        "6",
        _("Who plays"),
        (
            Article(
                "6.1",
                _("A new player who scores no point is left out."),
                _(
                    "In a round robin all their games are left out, and the rest is a smaller round robin. "
                    "Players with an earlier result stay in."
                ),
            ),
            Article("6.2", _("The stages of one event count as one tournament for a new player.")),
            Article("6.3", _("In a round robin, at least a third of the players have a rating.")),
            Article("6.31", _("With fewer than ten players, at least four have a rating.")),
            Article(
                "6.32",
                _("A double round robin with new players has at least six players, four of them rated."),
            ),
            Article("6.33", _("A national championship has at least three rated men, or two rated women.")),
            Article("6.4", _("In a Swiss or a team tournament:")),
            Article(
                "6.41",
                _("For a first result, a new player needs three games against rated players and one point."),
                _("This is asked of the first result that counts, and of no later one."),
            ),
            Article("6.42", _("For a rated player, only games against rated players count.")),
            Article("6.43", _("A round robin in which games were not played is rated as a Swiss.")),
            Article(
                "6.5",
                _("Once a match is decided, its other games are not rated."),
                _("It is decided when one player has more than half the points of all planned games."),
            ),
            Article("6.6", _("A match with an unrated player is not rated.")),
        ),
    ),
    Section(
        "7",
        _("The list"),
        (
            Article(
                "7.1", _("FIDE publishes six lists a year, each with the tournaments since the one before.")
            ),
            Article("7.11", _("A list is published every two months.")),
            Article("7.12", _("The list has every player with their K and their games of the period.")),
            Article(
                "7.13",
                _(
                    "A period closes seven days before its list, and one day before it for FIDE’s own "
                    "tournaments."
                ),
                _("A tournament that ends later is rated for the next list."),
            ),
            Article(
                "7.14",
                _(
                    "A first rating is published after nine games in the results of two years, in some "
                    "tournaments seven, if it is 1200 or more."
                ),
                _("A result counts towards it only with a FIDE ID. Older results are left out."),
            ),
            Article("7.2", _("Who is on the list:")),
            Article(
                "7.21",
                _("A player whose rating falls below 1200 is taken off the list, and is a new player again."),
            ),
            Article("7.22", _("Players with a title but without a rating are listed separately.")),
            Article(
                "7.23",
                _("A player without a rated game for a year is inactive, and marked i."),
                _("After two more years they are no longer listed. Their rating stays."),
            ),
            Article("7.24", _("The top list ranks active players. Equal ratings share a rank.")),
            Article("7.3", _("FIDE can decide on other periods, such as a list every month.")),
        ),
    ),
    Section(
        "8",
        _("How ratings are calculated"),
        (
            Article(
                "8.1",
                _(
                    "Table (a) turns a score into a rating difference, table (b) a difference into an "
                    "expected score."
                ),
                _("They are the tables 4.1 and 4.2 of RBB."),
            ),
            Article("8.2", _("The result of a new player, Ru:")),
            Article(
                "8.21",
                _("The opponents’ average: Rc in a Swiss, Ra in a round robin with new players."),
                _("Rc and Ra are rounded to whole points first."),
            ),
            Article("8.22", _("50 %: Ru is the average.")),
            Article(
                "8.23",
                _("Above 50 %: 15 points are added for each half point over 50 %."),
                _("The article’s own examples use 12.5. The office follows the article."),
            ),
            Article("8.24", _("Below 50 %: d(p) of table (a) is added, which is negative.")),
            Article("8.25", _("In a round robin, d(p) is multiplied by n / (n + 1), with n opponents.")),
            Article("8.3", _("A first rating is calculated from all counted results together.")),
            Article("8.31", _("Results below 1200 don’t count before the first result that does.")),
            Article("8.32", _("The first rating is rounded to a whole number, a half upwards.")),
            Article(
                "8.33", _("It is published if it is 1200 or more."), _("The rounded rating is compared.")
            ),
            Article(
                "8.4",
                _("A rating that a player gets before a tournament is rated counts for that tournament."),
                _("For the opponents, the player has no rating."),
            ),
            Article("8.5", _("The change of a rated player:")),
            Article("8.51", _("Each game against a rated player is rated.")),
            Article(
                "8.52",
                _("In a round robin, games against new players are rated at the rating it gives them."),
            ),
            Article(
                "8.53",
                _("Results of new players that are not published yet don’t count for their opponents."),
            ),
            Article(
                "8.54",
                _("A difference of more than 400 points counts as 400."),
                _("For the stronger and for the weaker player."),
            ),
            Article(
                "8.55",
                _(
                    "(a) P(D) is the expected score of a game. (b) ΔR is the score less P(D). (c) ΣΔR × K "
                    "is the change."
                ),
                _("The change is exact. The list adds all changes of its period and rounds once."),
            ),
            Article(
                "8.56",
                _(
                    "K is 25 for the first 30 games, then 15, and 10 for ever once the published rating was "
                    "2400."
                ),
                _(
                    "The games of the first rating are among the 30. For a whole tournament the K of the "
                    "list at its start counts, even if it is not one of these."
                ),
            ),
            Article("8.57", _("The new rating is rounded to a whole number, a half upwards.")),
            Article(
                "8.58",
                _(
                    "In a round robin with new players, opponents more than 400 points away count as 400 "
                    "away."
                ),
                _("From the first Ru, once. Changes of rated players use the new Ru."),
            ),
        ),
    ),
    Section(
        "9",
        _("Reports"),
        (
            Article("9.2", _("A tournament that was announced as not rated is not rated.")),
            Article(
                "9.3",
                _("Each federation names a rating administrator, who sends in its reports."),
                _("Without one, the officer who receives a report is told. It is rated all the same."),
            ),
        ),
    ),
    Section(
        "10",
        _("Watching the scale"),
        (Article("10.3", _("Each list is compared with the one before, to see whether ratings drift.")),),
    ),
    Section(
        "12",
        _("Many games"),
        (
            Article(
                "12.3",
                _("A player should not have too many rated games in one period."),
                _(
                    "75 with K = 10, 50 with K = 15, 30 with K = 25. More give a warning; ratings don’t "
                    "change."
                ),
            ),
        ),
    ),
)
