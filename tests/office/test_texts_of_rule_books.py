"""The texts of rule books in ``templates/how-ratings-work/``: one for each book and language, complete."""

import re

import pytest
from django.conf import settings
from django.test import override_settings
from django.utils.translation import override

from ratings.office.rule_books import rule_books

FOLDER = settings.BASE_DIR / "templates" / "how-ratings-work"
BOOKS = list(rule_books())
LANGUAGES = [code for code, _name in settings.LANGUAGES]


def text_of(slug, language):
    return (FOLDER / f"{slug}.{language}.md").read_text("utf-8")


def page_of(slug, language):
    with override(language):
        return rule_books()[slug].page


def test_every_rule_book_has_a_text_in_every_language():
    named = {f"{slug}.{language}.md" for slug in BOOKS for language in LANGUAGES}
    assert named <= {path.name for path in FOLDER.iterdir()}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("slug", BOOKS)
def test_every_placeholder_is_filled_in(slug, language):
    missing = [{**settings.TEMPLATES[0], "OPTIONS": {"string_if_invalid": "missing: %s"}}]
    with override_settings(TEMPLATES=missing):
        filled = page_of(slug, language)
    assert re.findall(r"missing: [\w.]+", filled.markdown) == []
    assert "{{" not in filled.markdown
    assert "None" not in filled.markdown


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("slug", BOOKS)
def test_every_example_that_is_computed_is_told(slug, language):
    text = text_of(slug, language)
    named = {(name, key) for name, key in re.findall(r"{{ (\w+)\.?(\w*) }}", text)}
    used = {name for name, _key in named} | set(re.findall(r"with \w+=(\w+)", text))
    assert set(rule_books()[slug].computed()) == used - {"calculators"}


@pytest.mark.parametrize("slug", BOOKS)
def test_every_language_has_the_same_articles_in_the_same_order(slug):
    in_english, *others = (
        [(heading.level, heading.anchor) for heading in page_of(slug, language).headings]
        for language in LANGUAGES
    )
    assert len(in_english) == len(set(in_english)) > 5
    assert all(one == in_english for one in others)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("slug", BOOKS)
def test_the_anchor_of_an_article_is_the_one_that_citations_link_to(slug, language):
    book, page = rule_books()[slug], page_of(slug, language)
    numbered = [one for one in page.articles if re.fullmatch(r"[\d.]+", one.title)]
    assert [(one.title, one.anchor) for one in numbered] == [
        (one.title, book.anchor(one.title)) for one in numbered
    ]
    assert all(one.anchor.startswith(f"{slug}-") for one in page.articles)


@pytest.mark.parametrize("slug", BOOKS)
def test_every_language_has_as_many_readings_and_examples_under_each_article(slug):
    in_english, *others = (
        re.findall(r"^#+ .*{#([\w-]+)|^- \*\*", text_of(slug, language), re.MULTILINE)
        for language in LANGUAGES
    )
    assert "" in in_english
    assert all(one == in_english for one in others)
