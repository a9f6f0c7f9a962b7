"""The app of FIDE's rating lists, and of what follows from them for members."""

from django.utils.translation import gettext_lazy as _

from foa.web.menu import Place, Work
from ratings.office import rooms


class FideConfig(rooms.Room):
    """The room of FIDE's lists: first ratings (RBB 3.4) and over-the-board changes (RBB 3.15)."""

    name = "ratings.fide"
    links = (("fide:lists", _("FIDE rating lists (over the board)")),)
    demo = "ratings.fide.demo.load_fide_demo"
    api = "ratings.fide.api"
    searches = ("ratings.fide.services.searching.players",)
    suggestions = ("ratings.fide.services.searching.fide_players",)
    upload_pages = (
        (
            "admin:fide_fidelist_import",
            _("Import a FIDE rating list"),
            _("A month’s list as published by FIDE: TXT, XML or ZIP."),
            "fide.import_fidelist",
        ),
    )
    verbose_name = _("FIDE lists")
    admin_menu = (
        Place("fide.FideList", Work.EVERY_DAY, 6),
        Place("fide.Announcement", "fide.FideList", 1),
        Place("fide.FidePlayer", "fide.FideList", 2),
        Place("fide.FideRating", "fide.FideList", 3),
        Place("fide.DoubleRating", "fide.FideList", 4),
    )

    def ready(self) -> None:
        """Connect the receivers that give new members first ratings, and register the rest."""
        from ratings.fide import (  # noqa: F401  imported for what they register
            audit,
            decisions,
            due,
            page_sections,
            relations,
            signals,
            upkeep,
        )
