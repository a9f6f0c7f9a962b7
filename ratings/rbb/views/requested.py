"""RBB 1.4: lists requested by full members, and the form for requesting them."""

from __future__ import annotations

from typing import Any, Final, cast

from django import forms
from django.contrib.auth.mixins import LoginRequiredMixin
from django.core.exceptions import PermissionDenied, ValidationError
from django.core.validators import RegexValidator
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils import timezone
from django.utils.http import http_date
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.generic import FormView

from members.models import Member, member_of
from ratings.rbb.labels import CATEGORY_NAMES, CATEGORY_WORDS
from ratings.rbb.lists.requests import TooManyRequestsError, request_list
from ratings.rbb.models import Rating, RatingList
from ratings.rbb.views.published import PublishedListView
from ratings.rules.time_controls import Category

_LATEST: Final = 20


class RequestForm(forms.Form):
    """Form for the category and the federation."""

    category = forms.TypedChoiceField(
        label=_("Category"),
        coerce=Category.from_slug,
        choices=[(category.slug, name) for category, name in CATEGORY_NAMES.items()],
    )
    federation = forms.CharField(
        label=_("Federation (empty: all)"),
        required=False,
        max_length=3,
        widget=forms.TextInput(attrs={"placeholder": "NOR", "autocapitalize": "characters"}),
    )

    def clean_federation(self) -> str:
        """Return FIDE's code, in any case, of a federation with rated members in the category."""
        federation: str = self.cleaned_data["federation"].upper()
        category = self.cleaned_data.get("category")
        if federation and category:
            RegexValidator(r"\A[A-Z]{3}\Z", _("Three capital letters, such as NOR."))(federation)
            of_it = Rating.objects.filter(category=category, member__federation=federation)
            if not of_it.filter(rating__isnull=False).exists():
                names = {"category": CATEGORY_WORDS[category], "federation": federation}
                raise ValidationError(_("No rated %(category)s players from %(federation)s."), params=names)
        return federation


class RequestListView(LoginRequiredMixin, FormView[RequestForm]):
    """The request for a list. Status 403 without full membership, 429 for requests that are too frequent."""

    form_class = RequestForm
    template_name = "ratings/request_list.html"
    member: Member

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Redirect to the login; then allow only full members."""
        if not request.user.is_authenticated:
            return self.handle_no_permission()
        member = member_of(request.user)
        if member is None or not Member.objects.full(at=timezone.now()).filter(pk=member.pk).exists():
            return self._full_members_only(member)
        self.member = member
        return super().dispatch(request, *args, **kwargs)

    def get_initial(self) -> dict[str, Any]:
        """Return the values from the page that the member comes from."""
        return {name: self.request.GET.get(name, "") for name in RequestForm.base_fields}

    def form_valid(self, form: RequestForm) -> HttpResponse:
        """Freeze the list as of now, and redirect to it."""
        now = timezone.now()
        try:
            published = request_list(**form.cleaned_data, member=self.member, at=now)
        except PermissionDenied:  # their membership has just ended
            return self._full_members_only(self.member)
        except TooManyRequestsError as too_many:
            form.add_error(None, str(too_many))
            response = self.render_to_response(self.get_context_data(form=form), status=429)
            response["Retry-After"] = http_date(too_many.again_at.timestamp())
            return response
        return HttpResponseRedirect(published.get_absolute_url())

    def form_invalid(self, form: RequestForm) -> HttpResponse:
        return self.render_to_response(self.get_context_data(form=form), status=400)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the member's earlier requests."""
        mine = RatingList.objects.requested(by=self.member)
        return super().get_context_data(mine=mine[:_LATEST], **kwargs)

    def _full_members_only(self, member: Member | None) -> HttpResponse:
        return render(self.request, "ratings/full_members_only.html", {"member": member}, status=403)


class RequestedListView(PublishedListView):
    """A list requested by a member. The name is shown only to that member and to staff."""

    template_name = "ratings/requested_list.html"

    def find(self, **kwargs: Any) -> RatingList:
        found = RatingList.objects.requested().select_related("previous", "requested_by").filter(**kwargs)
        published = found.first()
        if published is None:
            raise Http404(gettext("Nobody asked for this list."))
        return published

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add who requested it, for users who may know."""
        user = self.request.user
        requester = cast(Member, self.published.requested_by)
        may_know = user.is_authenticated and (user.is_staff or requester.user_id == user.pk)
        return super().get_context_data(requester=requester if may_know else None, **kwargs)
