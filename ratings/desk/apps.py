"""The app of the officer's desk: what is due, fair play, identity, cases and files."""

from django.utils.translation import gettext_lazy as _

from foa.web.menu import Place, Work
from ratings.office import rooms


class DeskConfig(rooms.Room):
    name = "ratings.desk"
    verbose_name = _("Desk")
    admin_menu = (
        Place("desk.MemberNote", "members.Member", 2),
        Place("desk.Case", Work.EVERY_DAY, 3, searched=2),
        Place("desk.LikelyDuplicate", "office.AuditFinding", 1),
    )
    footer = (("desk:calendar", _("Calendar")),)
    member_menu = (("desk:cases", _("My cases")),)
    demo = "ratings.desk.demo.load_desk_demo"

    def ready(self) -> None:
        """Register what is due, and what is stored about members."""
        from ratings.desk import due, identity, page_sections, relations  # noqa: F401  imported for what they register
        from ratings.desk.services import cases  # noqa: F401  likewise
