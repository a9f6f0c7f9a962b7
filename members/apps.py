"""The members of the arena."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

from foa.web.menu import Place, Work


class MembersConfig(AppConfig):
    name = "members"
    verbose_name = _("Members")
    admin_menu = (
        Place("members.Member", Work.EVERY_DAY, 1, searched=1),
        Place("members.AccountClosure", "members.Member", 1),
        Place("members.FormerName", "members.Member", 7),
    )

    def ready(self) -> None:
        """Register the sections of the page “My account”."""
        from members import page_sections  # noqa: F401  imported for what it registers
