"""Publishing from the admin: which lists, then what they would be, then a job that freezes them."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import PermissionDenied
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from ratings.labels import CATEGORY_NAMES, CATEGORY_WORDS
from ratings.models import RatingList
from ratings.office.admin.base import ProjectionAdmin
from ratings.office.jobs import enqueue
from ratings.office.models import Job
from ratings.rules.time_controls import Category
from ratings.services.lists.publication import Preview, month_to_publish, months_to_publish, preview
from ratings.tasks import publish_lists


class PublishForm(forms.Form):
    """Which lists are published."""

    # No choices that are checked: month_to_publish says better what is wrong with a month.
    month = forms.CharField(
        label=_("Month"), max_length=10, widget=forms.Select,
        help_text=_("Its lists show the state at 00:00 UTC on its first day."),
    )  # fmt: skip
    category = forms.TypedMultipleChoiceField(
        label=_("Categories"), coerce=Category.from_slug, widget=forms.CheckboxSelectMultiple,
        choices=[(category.slug, CATEGORY_NAMES[category]) for category in Category],
        initial=[category.slug for category in Category],
    )  # fmt: skip
    revise = forms.BooleanField(
        label=_("Publish a further revision where a correction has changed a list"), required=False
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.at = timezone.now()
        widget: Any = self.fields["month"].widget
        widget.choices = [(f"{month:%Y-%m}", f"{month:%Y-%m}") for month in months_to_publish(self.at)]

    def clean_month(self) -> Any:
        """Its first moment, unless there is no list of it."""
        return month_to_publish(self.cleaned_data["month"], self.at)

    def previews(self) -> list[Preview]:
        """What publishing these lists would give."""
        chosen = self.cleaned_data
        return [
            preview(category=category, month=chosen["month"], at=self.at) for category in chosen["category"]
        ]

    def enqueue(self, by: Any) -> Job:
        """Ask the worker to publish them."""
        month, categories = f"{self.cleaned_data['month']:%Y-%m}", self.cleaned_data["category"]
        title = gettext("Publish the lists of %(month)s: %(categories)s") % {
            "month": month,
            "categories": ", ".join(str(CATEGORY_WORDS[category]) for category in categories),
        }
        return enqueue(
            publish_lists, title=title, by=by, month=month, categories=[int(one) for one in categories],
            revise=self.cleaned_data["revise"],
        )  # fmt: skip


class PublishingAdmin(ProjectionAdmin[RatingList]):
    """The page that publishes."""

    def has_publish_permission(self, request: HttpRequest) -> bool:
        """Whether this login may publish lists."""
        return request.user.has_perm("ratings.publish_ratinglist")

    def get_urls(self) -> list[URLPattern]:
        """Beside Django's own pages the one that publishes."""
        view = self.admin_site.admin_view(self.publish_view)
        return [path("publish/", view, name="ratings_ratinglist_publish"), *super().get_urls()]

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """The list, with a button for who may publish."""
        may = {"has_publish_permission": self.has_publish_permission(request)}
        return super().changelist_view(request, {**may, **(extra_context or {})})

    def publish_view(self, request: HttpRequest) -> HttpResponse:
        """Ask which lists; show what they would be; posted, leave it to the worker."""
        if not self.has_publish_permission(request):
            raise PermissionDenied
        posted = request.method == "POST"
        form = PublishForm(request.POST if posted else request.GET or None)
        previews: list[Preview] = []
        if form.is_valid():
            if posted:
                job = form.enqueue(request.user)
                return HttpResponseRedirect(reverse("admin:office_job_change", args=(job.pk,)))
            try:
                previews = form.previews()
            except OperationalError:
                # SQLite has one writer, and taking back is writing.
                form.add_error(None, gettext("The database is busy with other work. Try again in a while."))
        return TemplateResponse(request, "admin/ratings/ratinglist/publish.html", {
            **self.admin_site.each_context(request),
            "title": _("Publish rating lists"),
            "opts": self.opts,
            "form": form,
            "previews": previews,
            "to_do": form.is_valid() and [
                one for one in previews if one.will_be_published(form.cleaned_data["revise"])
            ],
        })  # fmt: skip
