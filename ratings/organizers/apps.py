"""Organizers, federations and captains, who report what they play themselves."""

from django.utils.translation import gettext_lazy as _

from foa.web.menu import Place, Work
from ratings.office import rooms


class OrganizersConfig(rooms.Room):
    name = "ratings.organizers"
    verbose_name = _("Reports of organizers")
    api = "ratings.organizers.api"
    admin_menu = (
        Place("organizers.Submission", Work.OVER_THE_BOARD, 2),
        Place("organizers.Scope", "organizers.Submission", 1),
    )

    def ready(self) -> None:
        """Register what is due, what the worker does, and who is told."""
        from ratings.organizers import due, page_sections, relations, signals, upkeep  # noqa: F401  imported for what they register
