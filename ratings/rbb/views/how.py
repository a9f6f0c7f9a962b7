"""The regulations on pages: articles, the office's readings, examples and tables."""

from __future__ import annotations

from typing import Any

from django.http import Http404
from django.utils.translation import gettext as _
from django.views.generic import TemplateView

from foa.web.negotiated import Negotiated
from ratings.office.rule_books import RuleBook, rule_books
from ratings.rbb.templatetags.regulations import page_of


class HowView(Negotiated, TemplateView):
    """The page with an address for every article that the site cites. The arena's rules come first."""

    template_name = "ratings/how.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the rule book, its text, and links to the others."""
        books = rule_books()
        slug = self.kwargs.get("slug")
        book = next(iter(books.values())) if slug is None else books.get(slug)
        if book is None or page_of(book) != self.request.path:
            raise Http404(_("The site has no rule book of that name."))
        return super().get_context_data(
            book=book,
            page=book.page,
            books=[(one, page_of(one)) for one in books.values()],
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
