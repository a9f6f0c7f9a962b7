"""The line of a performance rating: what table 4.1 adds has a sign, also where it adds nothing."""

import re

import pytest
from django.template.loader import render_to_string

from ratings.rules.fide_page.estimates import performance


@pytest.mark.parametrize(
    ("half_points", "said"),
    [(5, "1800.00 = R a 1800.00 + 0 ("), (10, "2600.00 = R a 1800.00 +800.00 (")],
)
def test_what_the_table_adds_has_its_sign(half_points, said):
    found = performance(5 * 1800, 5, half_points)
    shown = found._replace(average=found.average // 100, rating=found.rating // 100)
    html = render_to_string("calculators/_performance.html", {"performance": shown})
    assert said in " ".join(re.sub("<[^>]+>", " ", html).split())
