"""Names as lists have them, found by words in any order."""

import pytest

from ratings.office.names import beginnings

pytestmark = pytest.mark.pure


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ruiz", ["RUIZ"]),
        ("Ruíz, B", ["RUIZ, B"]),
        ("Beatriz Ruiz", ["BEATRIZ RUIZ", "BEATRIZ, RUIZ", "RUIZ BEATRIZ", "RUIZ, BEATRIZ"]),
        ("a b c d e", ["A B C D E"]),
        (" ", [""]),
    ],
)
def test_words_in_any_order_are_the_beginnings_of_a_name_as_lists_have_it(text, found):
    assert beginnings(text) == found


def test_family_names_and_given_names_of_several_words_are_among_them():
    assert "VAN DER BERG, ANNA" in beginnings("Anna van der Berg")
    assert "CRUZ, ANNA MARIA" in beginnings("Anna Maria Cruz")
