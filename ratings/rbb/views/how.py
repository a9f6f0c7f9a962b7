"""The regulations on pages, and an unrated member's way to a first rating."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Final

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.generic import DetailView, TemplateView

from foa.web.negotiated import Negotiated
from members.models import Member
from ratings.office.rule_books import RuleBook, rule_books
from ratings.rbb.edition_words import amendment_text
from ratings.rbb.forecasts import forecast
from ratings.rbb.models import Rating, RuleEdition
from ratings.rbb.regulations.rbb import RULE_BOOK
from ratings.rbb.templatetags.regulations import page_of
from ratings.rules.rbb.rating import FIRST_RATING_GAMES, FLOOR, Reason
from ratings.rules.time_controls import Category


class HowView(Negotiated, TemplateView):
    """The page with an address for every article that the site cites. The arena's rules come first."""

    template_name = "ratings/how.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the rule book, its text, and links to the others."""
        books = rule_books()
        slug = self.kwargs.get("slug")
        book = next(iter(books.values())) if slug is None else books.get(slug)
        if book is None or page_of(book) != self.request.path:
            raise Http404(gettext("There’s no rule book of that name."))
        decided = RuleEdition.objects.select_related("change_set") if book is RULE_BOOK else []
        return super().get_context_data(
            book=book,
            page=book.page,
            books=[(one, page_of(one)) for one in books.values()],
            editions=[(one, amendment_text(one.amendment)) for one in decided],
            **kwargs,
        )

    def as_json(self, context: dict[str, Any]) -> dict[str, Any]:
        book: RuleBook = context["book"]
        return {
            "book": book.cited_as,
            "about": book.page.about,
            "books": [{"book": one.cited_as, "url": url} for one, url in context["books"]],
            "articles": [
                {"number": article.title, "url": f"{page_of(book)}#{article.anchor}"}
                for article in book.page.articles
            ],
            "markdown": book.page.markdown,
        }


_HIGHEST: Final = 4000
_LATEST: Final = 20


class AverageForm(forms.Form):
    """Form for the average rating of the remaining opponents."""

    average = forms.DecimalField(
        label=_("Average rating of the remaining opponents"),
        required=False,
        min_value=Decimal(FLOOR // 100),
        max_value=Decimal(_HIGHEST),
        decimal_places=2,
        widget=forms.NumberInput(attrs={"step": "0.01"}),
    )


class CoachView(DetailView[Member]):
    """An unrated member's progress in a category, and what remains. Status 400 for an invalid average."""

    model = Member
    template_name = "ratings/coach.html"
    context_object_name = "member"
    category: Category

    def setup(self, request: HttpRequest, *args: Any, category: Category, **kwargs: Any) -> None:
        super().setup(request, *args, category=category, **kwargs)
        self.category = category

    def render_to_response(self, context: dict[str, Any], **kwargs: Any) -> HttpResponse:
        """Render the page, with status 400 if the form has errors."""
        form = context.get("form")
        faulty = form is not None and not form.is_valid()
        return super().render_to_response(context, status=400 if faulty else 200, **kwargs)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the member's standing and, while unrated, their results and the possible outcomes."""
        found = forecast(self.object, self.category)
        if isinstance(found, Rating):
            return super().get_context_data(category=self.category, rating=found, **kwargs)
        asked = self.request.GET if self.request.GET.get("average") else {"average": found.usual_average}
        form = AverageForm(asked)
        average = form.cleaned_data["average"] if form.is_valid() else None
        return super().get_context_data(
            category=self.category,
            form=form,
            average=average,
            counted=found.counted,
            score=found.score,
            average_so_far=found.average_so_far,
            to_go=found.to_go,
            needed=FIRST_RATING_GAMES,
            not_counted=found.rows.filter(after=None)
            .exclude(reason=Reason.RESULT_COUNTED)
            .with_events()
            .order_by("-occurred_at", "-id")[:_LATEST],
            outcomes=[] if average is None else found.outcomes(average),
            **kwargs,
        )
