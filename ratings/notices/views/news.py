"""Page of a member's news, latest first."""

from __future__ import annotations

from typing import Any, Final

from django.core.exceptions import BadRequest
from django.utils import timezone
from django.utils.translation import gettext
from django.views.generic import TemplateView

from foa.text import number_in, utc_text
from ratings.notices.models import Notice
from ratings.notices.services.wording import items
from ratings.notices.views.members import OwnPage

_AT_ONCE: Final = 50


class NewsView(OwnPage, TemplateView):
    """A page of news. ``?before=KEY`` continues after a notice. Opening it marks all as read."""

    template_name = "notices/news.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the notices, found by the index of a member's notices."""
        notices = Notice.objects.filter(member=self.member, page=True).order_by("-pk")
        if before := self.request.GET.get("before"):
            if (key := number_in(before)) is None:
                raise BadRequest(gettext("before must be the number of a notice."))
            notices = notices.filter(pk__lt=key)
        some = list(notices[: _AT_ONCE + 1])
        new = {one.pk for one in some if one.read_at is None}
        if new and not before and self.format != "json":
            Notice.objects.unread_by(self.request.user).update(read_at=timezone.now())
        return super().get_context_data(
            items=items(some[:_AT_ONCE]),
            new=new,
            older=some[_AT_ONCE - 1].pk if len(some) > _AT_ONCE else None,
            newest=not before,
            **kwargs,
        )

    def as_json(self, context: dict[str, Any]) -> dict[str, Any]:
        news = [{**one._asdict(), "at": utc_text(one.at)} for one in context["items"]]
        return {"news": news, "before": context["older"]}
