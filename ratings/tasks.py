"""What the worker does (see ``ratings.office.jobs``)."""

from __future__ import annotations

from django.contrib.admin.models import ADDITION
from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django_tasks import TaskContext, task

from foa.text import utc
from ratings.labels import CATEGORY_NAMES
from ratings.models import RatingList
from ratings.office.jobs import Work, running
from ratings.rules.time_controls import Category
from ratings.services.lists.publication import month_to_publish
from ratings.services.lists.publishing import publish


@task(takes_context=True)
def publish_lists(context: TaskContext, month: str, categories: list[int], revise: bool) -> None:
    """Publish the lists of a month (RBB 1.4), one category after another, each whole or not at all."""
    with running(context) as work:
        first = month_to_publish(month, timezone.now())
        for number, category in enumerate(map(Category, categories), 1):
            work.tell(number - 1, len(categories), gettext("%(number)d of %(total)d: %(category)s") % {
                "number": number, "total": len(categories), "category": CATEGORY_NAMES[category],
            })  # fmt: skip
            with transaction.atomic():
                published, new = publish(category=category, month=first, at=timezone.now(), revise=revise)
                _tell(work, published, new)


def links_of(published: RatingList) -> list[tuple[str, str]]:
    """Labels and addresses: its page, its report and the whole of it as CSV."""
    page = published.get_absolute_url()
    links = [(gettext("List"), page), ("CSV", f"{page}?format=csv")]
    if published.month is not None:
        place = (published.category.slug, published.month, published.revision)
        links.insert(1, (gettext("Report"), reverse("ratings:list_report", args=place)))
    return links


def _tell(work: Work, published: RatingList, new: bool) -> None:
    named = {"list": published, "members": published.members, "moment": utc(published.published_at)}
    if new:
        text = ngettext(
            "%(list)s: published, %(members)d member.",
            "%(list)s: published, %(members)d members.",
            published.members,
        )
        work.log(published, ADDITION)
    else:
        text = gettext("%(list)s: stays as it was published on %(moment)s.")
    work.add(text % named, *links_of(published))
