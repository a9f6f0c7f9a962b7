"""The ratings of the arena."""

from django.utils.translation import gettext_lazy as _

from ratings.office import rooms


class RatingsConfig(rooms.Room):
    name = "ratings"
    person_pages = ("ratings.person.arena_page",)
    member_parts = ("ratings.member_part.ratings_part", "ratings.member_part.closures_part")
    member_menu = (("ratings:request_list", _("Ask for a rating list")),)
    rule_books = ("ratings.regulations.rbb.RULE_BOOK", "ratings.regulations.formula.RULE_BOOK")
    verbose_name = _("Ratings")

    def ready(self) -> None:
        """Connect the receivers that keep ledger and games together; register decisions, checks, subjects."""
        from ratings import (  # noqa: F401  imported for what they register
            audit,
            decisions,
            due,
            sections,
            signals,
            subjects,
            upkeep,
        )
