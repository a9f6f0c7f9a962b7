"""The RBB regulations in the office's own words, with its readings of open points."""

from __future__ import annotations

from typing import Final

from django.utils.functional import Promise
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from ratings.office.rule_books import Article, Section
from ratings.rbb.labels import CATEGORY_NAMES
from ratings.rules.time_controls import RATED_CONTROLS, Category


def _controls(category: Category) -> Promise:
    """Return the rated controls of a category, from the rules."""
    controls = ", ".join(str(control) for control, its in RATED_CONTROLS.items() if its is category)
    return format_lazy("{}: {}.", CATEGORY_NAMES[category], controls)


SECTIONS: Final = (
    Section(
        "1",
        _("Introduction"),
        (
            Article(
                "1.1",
                _(
                    "Games between full members of the arena are rated in three categories by time control: "
                    "rapid, blitz and bullet. So a member can have three ratings."
                ),
            ),
            Article("1.2", _("These ratings have no influence on over-the-board ratings.")),
            Article(
                "1.3",
                _(
                    "Over-the-board ratings do have an influence here: changes of rapid and blitz ratings "
                    "are added when the monthly FIDE list is announced."
                ),
                _(
                    "The difference between two published ratings is added for members who are rated here "
                    "in that category. A list on which the member has no games adds nothing. Each list adds "
                    "once. Bullet ratings never change this way."
                ),
            ),
            Article(
                "1.4",
                _("A full member can ask for a rating list at any time. Monthly lists are published too."),
                _(
                    "A list shows the ratings after the last game that ended by the moment asked for. A "
                    "monthly list shows those of 00:00 UTC on the 1st. It never changes; a correction is a "
                    "revision beside it."
                ),
            ),
        ),
    ),
    Section(
        "2",
        _("Conditions of play"),
        (
            Article(
                "2.1",
                _("Only full members play rated games."),
                _("Both players must be full members at the moment the game starts."),
            ),
            Article("2.2", _("Full members may also play unrated games, with any time control.")),
            Article(
                "2.3",
                _("Rated games use one of seventeen time controls:"),
                _("A control is looked up in this list, never computed. One that isn’t in it is not rated."),
            ),
            Article("2.3.1", _controls(Category.RAPID)),
            Article("2.3.2", _controls(Category.BLITZ)),
            Article("2.3.3", _controls(Category.BULLET)),
            Article(
                "2.4",
                _("A player who is disconnected for more than 60 seconds loses the game."),
                _(
                    "The office applies this to rated games. In a casual game, the result that the game "
                    "server sends counts. The loss is rated if each side had made a move (FIDE B.02 5.1). A "
                    "no-show or an aborted game is never rated."
                ),
            ),
        ),
    ),
    Section(
        "3",
        _("How ratings are computed"),
        (
            Article(
                "3.1",
                _("Ratings and changes are decimals with two places; only the rounded rating is displayed."),
                _("Nothing is lost to rounding between two games."),
            ),
            Article(
                "3.2",
                _("The rating floor is 100 points."),
                _(
                    "The exact rating counts: 100.00 is kept, 99.99 is lost, although it would be displayed "
                    "as 100."
                ),
            ),
            Article(
                "3.3",
                _(
                    "A rating that falls below the floor is lost, in that category only. A new first rating "
                    "follows from 3.6 and 3.7."
                ),
                _("The member then counts as previously unrated (3.10.3); 3.4 is not applied a second time."),
            ),
            Article(
                "3.4",
                _(
                    "A new member’s first rating comes from the FIDE lists, from the same or a longer time "
                    "control, in this order:"
                ),
                _(
                    "It is given once, from the lists in force on the day of becoming a full member for the "
                    "first time, and counts from that day, also if the FIDE ID becomes known only after five "
                    "games have given a rating (3.6). Ratings carried over from an earlier system enter the "
                    "same way."
                ),
            ),
            Article("3.4.1", _("Rapid: rapid, then standard.")),
            Article("3.4.2", _("Blitz: blitz, rapid, then standard.")),
            Article("3.4.3", _("Bullet: blitz, rapid, then standard.")),
            Article("3.5", _("A member without such a rating is unrated.")),
            Article(
                "3.6",
                _("An unrated player reaches a first rating in two stages, with five results:"),
                _("Only games against rated opponents count. A game between two unrated players does not."),
            ),
            Article(
                "3.6.1",
                _("The first target is a draw or a win against a rated opponent."),
                _("That game is the first of the five results. Losses before it are forgotten."),
            ),
            Article(
                "3.6.2",
                _("The second target is four more games against rated opponents."),
                _("They count whatever the results."),
            ),
            Article("3.7", _("The first rating is computed from these five results.")),
            Article(
                "3.7.1",
                _("Ra is the average rating of the five opponents."),
                _(
                    "The average of their exact ratings at the end of each game, rounded half up to two "
                    "decimals."
                ),
            ),
            Article(
                "3.7.2",
                _("The first rating Rf depends on the score:"),
                _("If Rf is below the floor of 100, the player stays unrated and starts again."),
            ),
            Article("3.7.3", _("50 %: Rf = Ra.")),
            Article(
                "3.7.4",
                _("Above 50 %: Rf = Ra + 20 for each half point over 50 %."),
                _("The values of table 4.1 are never used above 50 %."),
            ),
            Article(
                "3.7.5",
                _("Below 50 %: Rf = Ra + dp, where dp is found in table 4.1 by the fractional score p."),
            ),
            Article(
                "3.8",
                _(
                    "Until then, a game between a rated and an unrated player does not affect the rated "
                    "player."
                ),
                _(
                    "The rating, the number of games and K stay the same. The ledger still shows the game, "
                    "with the reason."
                ),
            ),
            Article("3.9", _("A game between two rated players changes both ratings by these formulas:")),
            Article(
                "3.9.1",
                _(
                    "ΔR = score − PD. The score is 1, 0.5 or 0. PD, the expected score, is found in table "
                    "4.2 by the rating difference D."
                ),
                _(
                    "D is the difference of the two exact ratings, rounded half up to a whole number. There "
                    "isn’t a cap of 400 points: above 735, PD is 1.00 and .00."
                ),
            ),
            Article("3.9.2", _("Rn = Ro + ΔR × K.")),
            Article("3.10", _("The factor K is:")),
            Article("3.10.1", _("20 in rapid and blitz.")),
            Article("3.10.2", _("10 in bullet.")),
            Article(
                "3.10.3",
                _(
                    "40 for a player who was unrated in the category, until 30 rated games are completed in "
                    "that category."
                ),
                _(
                    "The five results of the first rating are the first five of the 30, so games 6 to 30 "
                    "have K = 40. A member rated by 3.4 never has K = 40, unless the rating is lost under "
                    "the floor."
                ),
            ),
            Article(
                "3.11",
                _("Ratings are updated when the game is completed."),
                _(
                    "Both changes use the ratings before the game. Games are taken in the order in which "
                    "they ended. If several games of a file ended at the same moment, they are taken in the "
                    "order of their ids, and those of a PGN file in the order of the file."
                ),
            ),
            Article("3.12", _("A rating is rounded to a whole number for display only.")),
            Article("3.13", _("A fraction of .5 is rounded upwards.")),
            Article("3.14", _("So the displayed rating can stay the same after a win.")),
            Article(
                "3.15",
                _(
                    "When the monthly FIDE lists for rapid and blitz are announced, the sum of a player’s "
                    "over-the-board changes is added to the rating here."
                ),
                _(
                    "Nothing is added for an unrated member. The number of games and K stay the same. The "
                    "floor applies here too."
                ),
            ),
        ),
    ),
    Section(
        "4",
        _("Conversion tables"),
        (
            Article("4.1", _("From the fractional score p to the rating difference dp.")),
            Article(
                "4.2",
                _(
                    "From the rating difference D to the expected score PD of the higher (H) and the lower "
                    "(L) rated player."
                ),
            ),
        ),
    ),
)
"""RBB sections 1 to 4, with FIDE's article numbers but not its wording."""
