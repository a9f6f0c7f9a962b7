"""The arena's ratings."""

from django.utils.translation import gettext_lazy as _

from ratings.office import rooms


class RatingsConfig(rooms.Room):
    name = "ratings.rbb"
    label = "ratings"
    member_menu = (("ratings:request_list", _("Request a rating list")),)
    rule_books = ("ratings.rbb.regulations.rbb.RULE_BOOK", "ratings.rbb.regulations.formula.RULE_BOOK")
    verbose_name = _("Ratings")

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
