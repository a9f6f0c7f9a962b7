"""RBB 1.4: publishing a month's lists, and revising published ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from urllib.parse import urlencode

from django import forms
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from foa.moments import parse_moment
from foa.said import Month, gettext, ngettext, plain
from foa.text import month_text, utc
from ratings.office.decision_types import Decision, Parameters, register
from ratings.office.effects import Effect, Fact, Sentence
from ratings.office.forms import SomeOf
from ratings.rbb.decisions.base import LedgerKind, categories_field
from ratings.rbb.labels import CATEGORY_NAMES
from ratings.rbb.lists.comparing import RevisedLine, revised_lines
from ratings.rbb.lists.freezing import differing_members
from ratings.rbb.lists.publishing import month_to_publish, months_to_publish, publish
from ratings.rbb.lists.report import ListReport, report
from ratings.rbb.models import RatingList
from ratings.rules.time_controls import Category

REVISED_SHOWN: Final = 100
"""Maximum number of lines whose old and new values the preview of a revision shows."""


@dataclass(frozen=True, slots=True)
class ListToPublish:
    """A list as it would be published, or the present one if that would be identical.

    ``stands``: the present revision, None if there is none; ``differing``: members whose lines have changed
    since. If there are none, its period begins with another list. ``revised``: the first of these lines, old
    and new. ``report``, ``differing`` and ``revised`` are set only for a preview.
    """

    listed: RatingList
    stands: RatingList | None
    is_new: bool
    will_be_published: bool
    report: ListReport | None = None
    differing: int = 0
    revised: list[RevisedLine] = field(default_factory=list)


class PublishForm(forms.Form):
    # The choices aren't validated: month_to_publish explains better what is wrong with a month.
    month = forms.CharField(
        label=_("Month"),
        max_length=10,
        widget=forms.Select,
        help_text=_("The lists show the ratings at 00:00 UTC on the first of the month."),
    )
    category = categories_field()
    revise = forms.BooleanField(label=_("Publish a new revision of changed lists"), required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.at = timezone.now()
        field: Any = self.fields["month"]
        field.widget.choices = [(f"{one:%Y-%m}", month_text(one)) for one in months_to_publish(self.at)]
        if not field.widget.choices:
            field.help_text = _("No games have been rated yet, so no month can be published.")

    def clean_month(self) -> datetime:
        """Return the month's first moment; raises ValidationError for a month without lists."""
        return month_to_publish(self.cleaned_data["month"], self.at)


class _OfLists(LedgerKind):
    """A decision that freezes lists. Published ones stay; a revision is added."""

    button = _("Publish")
    permission = "ratings.publish_ratinglist"
    as_job = True
    asks_reason = False
    template = "admin/ratings/ratinglist/_to_publish.html"

    def wanted(self, asked: Mapping[str, Any]) -> list[tuple[Category, datetime, bool]]:
        """Return category, month and whether to revise for each list, earlier months first."""
        raise NotImplementedError

    def confirm_label(self, effect: Effect) -> str:
        number = len(effect.facts)
        return ngettext("Publish %d list", "Publish %d lists", number) % number

    def apply(self, decision: Decision) -> Effect:
        wanted = self.wanted(decision.asked)
        found = []
        for number, (category, month, revise) in enumerate(wanted, 1):
            doing = gettext("%(number)d of %(total)d: %(category)s") % {
                "number": number,
                "total": len(wanted),
                "category": CATEGORY_NAMES[category],
            }
            decision.tell(number - 1, len(wanted), doing)
            found.append(_publish(category, month, decision, revise=revise))
        to_do = [one for one in found if one.will_be_published]
        facts = [
            Fact("lists", f"{one.category.slug} {one.month} {one.revision}", str(one), after=one.checksum)
            for one in (done.listed for done in to_do)
        ]
        published = [done.listed for done in to_do]
        return Effect(facts=facts, outcome=[_told(one) for one in found], objects=[*published], result=found)


@register
class PublishLists(_OfLists):
    """Decision to freeze the lists of a month."""

    name = "publish-lists"
    title = _("Publish rating lists")
    form = PublishForm

    def wanted(self, asked: Mapping[str, Any]) -> list[tuple[Category, datetime, bool]]:
        """Return one month in some categories."""
        return [(category, asked["month"], asked["revise"]) for category in asked["category"]]

    def subject(self, asked: Mapping[str, Any]) -> str:
        slugs = ", ".join(category.slug for category in asked["category"])
        return plain("%s (%s)") % (Month(asked["month"]), slugs)

    def public_heading(self, parameters: Parameters) -> str:
        month = parse_moment(f"{parameters['month'][0]}-01")
        return gettext("%(month)s rating lists published") % {"month": month_text(month)}


class ReviseForm(forms.Form):
    list = SomeOf(RatingList.objects.monthly())

    def clean_list(self) -> QuerySet[RatingList]:
        """Return the lists; raises ValidationError if one has since been replaced."""
        lists: QuerySet[RatingList] = self.cleaned_data["list"]
        if replaced := next((one for one in lists if one.superseded), None):
            raise forms.ValidationError(
                gettext("%(list)s has been replaced by a later revision.") % {"list": replaced}
            )
        return lists


@register
class ReviseLists(_OfLists):
    """Decision to publish a new revision of several lists that later corrections changed."""

    name = "revise-lists"
    title = _("Revise rating lists")
    form = ReviseForm

    def wanted(self, asked: Mapping[str, Any]) -> list[tuple[Category, datetime, bool]]:
        """Return each of them: a later list refers to the new revision of an earlier one."""
        lists = sorted(asked["list"], key=lambda one: (one.as_of, one.category))
        return [(one.category, one.as_of, True) for one in lists]

    def subject(self, asked: Mapping[str, Any]) -> str:
        return ", ".join(f"{category.slug} {month:%Y-%m}" for category, month, _revise in self.wanted(asked))

    def public_heading(self, parameters: Parameters) -> str:
        return gettext("Rating lists revised")


def _publish(category: Category, month: datetime, decision: Decision, *, revise: bool) -> ListToPublish:
    """Freeze a list. A preview also shows what a revision would change that wasn't asked for."""
    looked_at = decision.looked_at
    stands = RatingList.objects.latest_of(category, month.date())
    listed, is_new = publish(
        category=category, month=month, at=decision.at, by=decision.by, revise=revise or looked_at
    )
    will_be_published = is_new and (revise or stands is None)
    if not looked_at:
        return ListToPublish(listed, stands, is_new, will_be_published)
    differing = differing_members(stands) if stands and is_new else 0
    revised = revised_lines(stands, listed, most=REVISED_SHOWN) if stands and differing else []
    return ListToPublish(listed, stands, is_new, will_be_published, report(listed), differing, revised)


def links_of(published: RatingList) -> tuple[tuple[str, str], ...]:
    """Return labels and addresses: its page, its report, its CSV file, and the changes of a revision."""
    page = published.get_absolute_url()
    if published.month is None:
        return (gettext("List"), page), ("CSV", f"{page}?format=csv")
    place = (published.category.slug, published.month, published.revision)
    report_page = (gettext("Report"), reverse("ratings:list_report", args=place))
    links = (gettext("List"), page), report_page, ("CSV", f"{page}?format=csv")
    if published.revision == 1:
        return links
    compared = {
        name: f"{published.month:%Y-%m}.{revision}"
        for name, revision in (("from", published.revision - 1), ("to", published.revision))
    }
    address = reverse("ratings:compare_lists", args=(published.category.slug,))
    return *links, (gettext("Changes"), f"{address}?{urlencode(compared)}")


def _told(one: ListToPublish) -> Sentence:
    listed = one.listed
    named = {"list": listed, "members": listed.members}
    if one.will_be_published:
        text = ngettext(
            "%(list)s: published, %(members)d member.",
            "%(list)s: published, %(members)d members.",
            listed.members,
        )
        return Sentence(text % named, links_of(listed))
    named["moment"] = utc(listed.published_at)
    return Sentence(gettext("%(list)s: already published on %(moment)s.") % named, links_of(listed))
