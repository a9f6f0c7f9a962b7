"""The strip above an explanation is one true equation, also as text."""

from fractions import Fraction

from ratings.office.explanations import equals_rounded, of_scores
from tests.equations import check_text


def test_a_strip_is_one_equation_that_is_true():
    picture = of_scores("1", "0.36", 20, "+12.80", shares=(Fraction(36, 100), Fraction(1)))
    assert picture.text == "(1 − 0.36) × 20 = +12.80"
    assert check_text(picture.text) == 1


def test_a_figure_that_is_whole_is_not_called_rounded():
    assert equals_rounded(Fraction(2312), 2312) == "= 2312"
    assert equals_rounded(Fraction(4613, 2), 2307) == "= 2306.5, rounded to 2307"
    assert equals_rounded(Fraction(7000, 3), 2333) == "≈ 2333.33, rounded to 2333"
