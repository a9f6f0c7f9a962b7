"""The API of game servers and of those who follow the ratings."""

from django.utils.translation import gettext_lazy as _

from foa.web.menu import Place, Work
from ratings.office import rooms


class ArenaConfig(rooms.Room):
    name = "ratings.arena"
    footer = (("arena:api", _("API")),)
    verbose_name = _("Game servers")
    admin_menu = (
        Place("arena.GameServer", Work.ARENA, 1),
        Place("arena.Webhook", Work.ARENA, 2),
        Place("arena.Delivery", "arena.Webhook", 1),
    )

    def ready(self) -> None:
        """Register scheduled work and monitoring figures."""
        from ratings.arena import due, figures, page_sections, relations, upkeep  # noqa: F401  imported for what it registers
