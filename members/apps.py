"""The members of the arena."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class MembersConfig(AppConfig):
    name = "members"
    verbose_name = _("Members")

    def ready(self) -> None:
        """Register the sections of the page “My account”."""
        from members import page_sections  # noqa: F401  imported for what it registers
