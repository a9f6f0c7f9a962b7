"""Federations by name and flag, titles as badges."""

import pytest
from django.contrib.staticfiles import finders
from django.utils.translation import override

from members.flags import TITLE_NAMES, badge, federation, flag, flag_address, name_of
from members.models import TITLES
from ratings.rules.federations import FEDERATIONS

pytestmark = [pytest.mark.pure]

# Of these only old reports tell, and nobody has one as a name.
WITHOUT_NAME = {"CSR", "FRG", "GDR", "IMN", "MYN", "SCG", "SKO", "TCH", "URS", "YUG"}


def test_every_federation_of_fide_has_a_name_and_a_flag():
    assert {code for code in FEDERATIONS if name_of(code) == code} == WITHOUT_NAME
    for code in FEDERATIONS:
        assert finders.find(flag_address(code).removeprefix("/static/")), code


def test_a_federation_is_a_flag_beside_its_name_and_a_flag_alone_says_the_name():
    assert federation("NOR").endswith("> Norway</span>")
    assert 'src="/static/foa/flags/no.svg" alt=""' in federation("NOR")
    assert 'src="/static/foa/flags/gb-sct.svg" alt="Scotland"' in flag("SCO")
    assert (federation(""), flag("")) == ("", "")


def test_an_old_code_has_the_flag_of_today_and_an_unknown_one_the_neutral_flag():
    assert flag("ROM") == flag("ROU")
    assert 'flags/neutral.svg" alt="URS"' in flag("URS")
    assert 'flags/neutral.svg" alt="&lt;X&gt;"' in flag("<X>")


def test_a_title_says_what_it_stands_for_and_arena_titles_look_different():
    assert badge("WGM") == '<abbr class="title" title="Woman Grandmaster">WGM</abbr>'
    assert badge("AGM") == '<abbr class="title arena" title="Arena Grandmaster">AGM</abbr>'
    assert badge("") == ""
    assert list(TITLE_NAMES) == list(TITLES)


def test_what_is_kept_for_one_language_is_not_shown_in_another(monkeypatch):
    with override("en"):
        english = badge("GM")
    with override("pl"):
        monkeypatch.setitem(TITLE_NAMES, "GM", "Arcymistrz")
        assert "Arcymistrz" in badge("GM")
    with override("en"):
        assert badge("GM") == english
