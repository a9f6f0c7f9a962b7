"""How pages write numbers: one way for ratings, changes, expected scores and counts."""

from datetime import date
from decimal import Decimal

import pytest
from django.utils.translation import override

from foa.templatetags.office import at_the_right
from foa.text import days_text, points, signed
from foa.web.columns import CountColumn
from ratings.office.explanations import hundredths_text, signed_hundredths

pytestmark = pytest.mark.pure


def test_a_point_has_a_digit_before_it_and_minus_is_no_hyphen():
    assert [hundredths_text(one) for one in (0, 4, 71, 100, 179_960)] == [
        "0.00",
        "0.04",
        "0.71",
        "1.00",
        "1799.60",
    ]
    assert (points(Decimal("-0.04")), points(0.4821, 3), points(None)) == ("−0.04", "0.482", "–")


def test_a_change_has_its_sign_and_zero_has_none():
    assert [signed(Decimal(one)) for one in ("9.40", "-8.40", "0")] == ["+9.40", "−8.40", "0.00"]
    assert (signed(None), signed_hundredths(-940)) == ("–", "−9.40")


def test_what_is_zero_after_rounding_has_no_sign():
    assert [signed(one, 3) for one in (0.0123, -0.03, 0.0001, -0.0001)] == [
        "+0.012",
        "−0.030",
        "0.000",
        "0.000",
    ]
    assert (points(Decimal("-0.004")), points(Decimal("-0.00"))) == ("0.00", "0.00")


def test_counts_have_the_separator_of_the_language():
    assert [CountColumn().render(one) for one in (0, 999, 1_234_567)] == ["0", "999", "1,234,567"]
    with override("pl"):
        assert CountColumn().render(1_234_567) == "1\xa0234\xa0567"


def test_a_number_in_a_list_of_the_admin_is_at_the_right_with_a_minus():
    assert at_the_right('<td class="field-change nowrap">-16.55</td>') == (
        '<td data-number class="field-change nowrap">−16.55</td>'
    )


def test_days_of_one_month_are_written_with_the_month_once():
    assert days_text(date(2026, 9, 2), date(2026, 9, 10)) == "2–10 Sep 2026"
    assert days_text(date(2026, 9, 2), date(2026, 9, 2)) == "2 Sep 2026"
    assert days_text(date(2026, 8, 28), date(2026, 9, 3)) == "28 Aug 2026 – 3 Sep 2026"
    assert days_text(date(2025, 9, 2), date(2026, 9, 2)) == "2 Sep 2025 – 2 Sep 2026"
