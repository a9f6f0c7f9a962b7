"""Over-the-board tournaments under FIDE's regulations."""

from django.utils.translation import gettext_lazy as _

from foa.web.menu import Place, Work
from ratings.office import rooms


class OtbConfig(rooms.Room):
    name = "ratings.otb"
    links = (
        ("otb:tournaments", _("Over-the-board tournaments")),
        ("otb:lists", _("Over-the-board lists")),
    )
    menu = (("otb:tournaments", _("Tournaments")),)
    upload_pages = (
        (
            "admin:otb_tournament_receive",
            _("Import a tournament report"),
            _("An over-the-board tournament, as TRF16 or TRF26."),
            "otb.receive_tournament",
        ),
    )
    demo = "ratings.otb.demo.load_tournament_demo"
    api = "ratings.otb.api"
    scales = "ratings.otb.scales.scales"
    searches = ("ratings.otb.services.searching.tournaments",)
    suggestions = ("ratings.otb.services.searching.board_players",)
    rule_books = (
        "ratings.otb.regulations.STANDARD_2024",
        "ratings.otb.regulations.RAPID_AND_BLITZ_2024",
        "ratings.otb.regulations.OF_2009",
    )
    verbose_name = _("Over the board")
    admin_menu = (
        Place("otb.Tournament", Work.OVER_THE_BOARD, 1, searched=5),
        Place("otb.TournamentResult", "otb.Tournament", 1),
        Place("otb.OtbList", Work.OVER_THE_BOARD, 3),
        Place("otb.OtbListEntry", "otb.OtbList", 1),
        Place("otb.RatingFee", Work.OVER_THE_BOARD, 4),
        Place("otb.FeePayment", "otb.RatingFee", 1),
        Place("otb.RatingAdministrator", Work.OVER_THE_BOARD, 5),
        Place("otb.AssociationMember", Work.OVER_THE_BOARD, 6),
    )

    def ready(self) -> None:
        """Register decisions, checks and subjects of cases."""
        from ratings.otb import (  # noqa: F401  imported for what they register
            audit,
            decisions,
            due,
            page_sections,
            subjects,
            upkeep,
        )
