"""Tournaments over the board under FIDE B.02."""

from django.utils.translation import gettext_lazy as _

from ratings.office import rooms


class OtbConfig(rooms.Room):
    name = "ratings.otb"
    links = (
        ("otb:tournaments", _("Tournaments over the board")),
        ("otb:lists", _("Over-the-board lists")),
    )
    demo = "ratings.otb.demo.load_tournament_demo"
    verbose_name = _("Over the board")

    def ready(self) -> None:
        """Register decisions and checks."""
        from ratings.otb import audit, decisions  # noqa: F401  imported for what they register
