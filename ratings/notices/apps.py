"""The app of news for members."""

from django.utils.translation import gettext_lazy as _

from ratings.office import rooms


class NoticesConfig(rooms.Room):
    name = "ratings.notices"
    verbose_name = _("News")
    footer = (("notices:public", _("News")),)
    member_menu = (("notices:news", _("Notifications")),)

    def ready(self) -> None:
        """Register signals, upkeep and relations to members."""
        from ratings.notices import page_sections, relations, signals, upkeep  # noqa: F401  for what they register
