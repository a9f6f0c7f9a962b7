"""The arena's ratings."""

from django.utils.translation import gettext_lazy as _

from foa.web.menu import Place, Work
from ratings.office import rooms


class RatingsConfig(rooms.Room):
    name = "ratings.rbb"
    label = "ratings"
    searches = ("ratings.rbb.searching.members", "ratings.rbb.searching.events")
    member_menu = (("ratings:request_list", _("Request a rating list")),)
    rule_books = ("ratings.rbb.regulations.rbb.RULE_BOOK", "ratings.rbb.regulations.formula.RULE_BOOK")
    verbose_name = _("Ratings")
    admin_menu = (
        Place("ratings.Rating", "members.Member", 3),
        Place("ratings.RatingChange", "members.Member", 4),
        Place("ratings.OpeningRating", "members.Member", 5),
        Place("ratings.OtbAdjustment", "members.Member", 6),
        Place("ratings.Game", Work.EVERY_DAY, 2, searched=4),
        Place("ratings.ArenaEvent", "ratings.Game", 1),
        Place("ratings.TimeControl", "ratings.Game", 2),
        Place("ratings.RatingList", Work.EVERY_DAY, 4),
        Place("ratings.RatingListEntry", "ratings.RatingList", 1),
        Place("ratings.ImportBatch", "office.FileImport", 2),
        Place("ratings.RuleEdition", "office.ChangeSet", 4),
        Place("ratings.Recalculation", "office.ChangeSet", 1),
        Place("ratings.RecalculatedLine", "office.ChangeSet", 2),
        Place("ratings.LateLine", "office.ChangeSet", 3),
    )

    def ready(self) -> None:
        """Connect the receivers for ledger and games; register decisions, checks and subjects."""
        from ratings.rbb import (  # noqa: F401  imported for what they register
            audit,
            decisions,
            due,
            page_sections,
            relations,
            signals,
            subjects,
            upkeep,
        )
