"""The regulations on pages: articles, the office's readings, examples and tables."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from django.http import Http404
from django.utils.translation import gettext as _
from django.views.generic import TemplateView

from foa.text import points, signed
from foa.web.negotiated import Negotiated
from ratings.office.formula_strip import Picture, of_scores
from ratings.office.rule_books import Article, RuleBook, rule_books
from ratings.rbb.templatetags.regulations import page_of
from ratings.rules.rbb.rating import LedgerLine, rate_game
from ratings.rules.rounding import from_hundredths
from ratings.rules.time_controls import Category
from ratings.rules.units import WIN, Hundredths


class HowView(Negotiated, TemplateView):
    """The page with an address for every article that the site cites. The arena's rules come first."""

    template_name = "ratings/how.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the rule book with its examples, and links to the others; the arena's has an introduction."""
        books = rule_books()
        slug = self.kwargs.get("slug")
        book = next(iter(books.values())) if slug is None else books.get(slug)
        if book is None or page_of(book) != self.request.path:
            raise Http404(_("The site has no rule book of that name."))
        return super().get_context_data(
            book=book,
            books=[(one, page_of(one)) for one in books.values()],
            sections=[
                (book.anchor(section.number), section, [_told(book, article) for article in section.articles])
                for section in book.sections
            ],
            introduction=None if slug else _introduction(),
            **kwargs,
        )

    def as_json(self, context: dict[str, Any]) -> dict[str, Any]:
        book: RuleBook = context["book"]
        return {
            "book": book.cited_as,
            "about": str(book.about),
            "books": [{"book": one.cited_as, "url": url} for one, url in context["books"]],
            "articles": [
                {
                    "number": article.number,
                    "url": f"{page_of(book)}#{anchor}",
                    "text": str(article.text),
                    "reading": str(article.reading) or None,
                    "examples": [str(one) for one in examples],
                }
                for _anchor, _section, told in context["sections"]
                for anchor, article, examples in told
            ],
        }


def _told(book: RuleBook, article: Article) -> tuple[str, Article, list[str]]:
    """Return its anchor, the article, and its examples."""
    return book.anchor(article.number), article, [str(one) for one in book.examples.get(article.number, ())]


def _introduction() -> Picture:
    """Return a blitz game in which 1500 beats 1600, rated by the rules (RBB 3.9)."""
    own, other = (LedgerLine(rating, peak=rating) for rating in (Hundredths(1500_00), Hundredths(1600_00)))
    line, _opponent = rate_game(Category.BLITZ, own, other, WIN)
    expected = line.expected or Hundredths(0)
    return of_scores(
        "1",
        points(from_hundredths(expected)),
        line.k or 0,
        signed(from_hundredths(line.change or Hundredths(0))),
        shares=(Fraction(expected, 100), Fraction(1)),
    )
