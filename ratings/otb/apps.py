"""Tournaments over the board under FIDE's regulations."""

from django.utils.translation import gettext_lazy as _

from ratings.office import rooms


class OtbConfig(rooms.Room):
    name = "ratings.otb"
    links = (
        ("otb:tournaments", _("Tournaments over the board")),
        ("otb:lists", _("Over-the-board lists")),
    )
    menu = (("otb:tournaments", _("Tournaments")),)
    upload_pages = (
        (
            "admin:otb_tournament_receive",
            _("Receive a tournament report"),
            _("A tournament over the board: TRF16 or TRF26."),
            "otb.receive_tournament",
        ),
    )
    demo = "ratings.otb.demo.load_tournament_demo"
    rule_books = (
        "ratings.otb.regulations.STANDARD_2024",
        "ratings.otb.regulations.RAPID_AND_BLITZ_2024",
        "ratings.otb.regulations.B02_2009",
    )
    verbose_name = _("Over the board")

    def ready(self) -> None:
        """Register decisions, checks and subjects of cases."""
        from ratings.otb import audit, decisions, due, page_sections, subjects  # noqa: F401  imported for what they register
