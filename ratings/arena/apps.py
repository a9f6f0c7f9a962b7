"""The API of game servers and of those who follow the ratings."""

from django.utils.translation import gettext_lazy as _

from ratings.office import rooms


class ArenaConfig(rooms.Room):
    name = "ratings.arena"
    footer = (("arena:api", _("API")),)
    verbose_name = _("Game servers")

    def ready(self) -> None:
        """Register scheduled work and monitoring figures."""
        from ratings.arena import due, figures, page_sections, relations, upkeep  # noqa: F401  imported for what it registers
