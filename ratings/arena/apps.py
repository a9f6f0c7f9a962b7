"""The API of game servers, and of those who follow the ratings."""

from django.utils.translation import gettext_lazy as _

from ratings.office import rooms


class ArenaConfig(rooms.Room):
    name = "ratings.arena"
    verbose_name = _("Game servers")
    game_parts = ("ratings.arena.timeline.timeline",)

    def ready(self) -> None:
        """Register what becomes due because time passes, and figures."""
        from ratings.arena import due, figures, personal, upkeep  # noqa: F401  imported for what it registers
