"""B.02 on a page of the site."""

from django.template import Context, Template

from tests.rbb.rule_books import of_book


def test_8_25_8_55_the_examples_are_computed(client):
    text = of_book(client, "b02", "B.02")
    assert "8.25 In a round robin, d(p) is multiplied by n / (n + 1), with n opponents." in text
    # 8.1(a): p = .33 gives −125; 1800 − 125 × 9 / 10 = 1687.5, rounded 1688.
    assert "in a round robin with an average of 1800: Ru = 1800 + (−125) × 9 / 10, rounded 1688." in text
    # 8.1(b): D = 100 gives .36; 2.5 − 4 × .36 = 1.06.
    assert "1.44 expected, so ΣΔR = +1.06 and the change is +1.06 × 25 = +26.50." in text


def test_a_part_of_an_article_leads_to_the_article():
    template = Template("{% load regulations %}{{ told|with_citations }}")
    assert template.render(Context({"told": "B.02 8.55(c), 8.57"})) == (
        '<a class="cite in-text" href="/how-ratings-work/b02/#b02-8-55">B.02\u00a08.55(c)</a>, '
        '<a class="cite in-text" href="/how-ratings-work/b02/#b02-8-57">8.57</a>'
    )
