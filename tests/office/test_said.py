"""What a decision says is stored by its meaning, and read by everybody in their own language."""

from datetime import UTC, date, datetime

import pytest
from django.utils.translation import gettext_lazy, override

from foa.said import Month, Said, capital, gettext, meaning_of, ngettext, plain, written
from ratings.office.effects import Effect, Fact, Sentence, Shown, facts_of
from ratings.office.models import ChangeSet
from ratings.rbb.decisions.games import GAME_FIELDS
from ratings.rbb.decisions.inputs import parameters_of
from ratings.rbb.lists.publishing import publish
from ratings.rbb.models import RatingList
from ratings.rules.time_controls import Category
from tests.arena import START, at, game, rated
from tests.decisions import decided
from tests.pages import words

MONTH = START.replace(month=5)


def in_both(said):
    """The text in English and in Polish, from its stored meaning."""
    found = []
    for language in ("en", "pl"):
        with override(language):
            found.append(written(meaning_of(said)))
    return tuple(found)


@pytest.mark.parametrize("decided_in", ["en", "pl"])
def test_a_text_is_written_in_the_language_of_whoever_reads_it(decided_in):
    with override(decided_in):
        blitz = gettext_lazy("void")
        assert in_both(gettext("unrated")) == ("unrated", "bez rankingu")
        assert in_both(plain("%s: %s") % ("anna", blitz)) == ("anna: void", "anna: unieważniona")
        assert in_both(capital(plain("%s (%d)") % (blitz, 3))) == ("Void (3)", "Unieważniona (3)")
        several = ngettext("%(list)s (%(lines)d line)", "%(list)s (%(lines)d lines)", 5)
        listed = several % {"list": gettext("unrated"), "lines": 5}
        assert in_both(listed) == ("unrated (5 lines)", "bez rankingu (5 pozycji)")


def test_days_months_and_moments_are_written_in_the_language_of_whoever_reads_them():
    said = plain("%s, %s, %s") % (
        date(2026, 10, 31),
        Month(date(2026, 11, 1)),
        datetime(2026, 10, 31, 16, 31, tzinfo=UTC),
    )
    english, polish = in_both(said)
    assert english == "31 Oct 2026, November 2026, 31 Oct 2026, 16:31 UTC"
    assert polish == "31 paź 2026, listopad 2026, 31 paź 2026, 16:31 UTC"


def test_an_effect_is_the_same_in_every_language_and_so_is_its_fingerprint():
    def effect():
        return Effect(facts=[Fact("inputs", "x", gettext("unrated"), after="1")])

    with override("pl"):
        polish = effect()
        kept = polish.shown()
    assert polish.fingerprint == effect().fingerprint
    assert kept["facts"] == [["inputs", "x", "bez rankingu", "", "1"]]
    assert [one.label for one in facts_of(kept)] == ["unrated"]
    assert Shown(kept).inputs[0].label == "unrated"


def test_what_was_stored_as_text_by_an_earlier_version_is_read_as_it_is():
    old = {"facts": [["inputs", "x", "100% of it", "", ""]], "moved": 0}
    assert [one.label for one in facts_of(old)] == ["100% of it"]
    assert Sentence.of({"text": "50% done", "links": [["List", "/lists/"]]}) == Sentence(
        "50% done", (("List", "/lists/"),)
    )


def test_what_an_earlier_release_stored_is_read_in_polish_after_it_was_reworded():
    """0.19.0, ratings/fide/decisions/first_ratings.py and ratings/league/decisions/importing.py."""
    looked_up = {
        "text": "Members looked up: %(members)d. First ratings given: %(openings)d. "
        "Members whom the lists give none: %(unrated)d.",
        "words": {"members": 1, "openings": 3, "unrated": 0},
    }
    staged = {
        "text": "%d match has another stage now.",
        "many": "%d matches have another stage now.",
        "number": 2,
        "words": [2],
    }
    named = {"text": "%s: %s", "plain": True, "words": ["anna", {"text": "control"}]}
    chapter = {"text": "%s, %s", "plain": True, "words": [{"text": "rapid"}, {"text": "blitz"}]}
    with override("pl"):
        assert written(looked_up) == (
            "Sprawdzeni członkowie: 1. Nadane pierwsze rankingi: 3. "
            "Członkowie, którym listy nie dają żadnego: 0."
        )
        assert written(staged) == "2 mecze mają teraz inną fazę."
        assert written(named) == "anna: rodzaj tempa"
        assert written(chapter) == "szybkie, błyskawiczne"


def test_a_text_without_a_meaning_stays_text():
    assert meaning_of("anna") == "anna"
    assert not isinstance(gettext("unrated") + "!", Said)
    kept = Sentence(gettext("unrated"), ((gettext("List"), "/x/"),)).kept()
    with override("pl"):
        assert Sentence.of(kept) == ("bez rankingu", (("Lista", "/x/"),))


@pytest.mark.django_db
@pytest.mark.parametrize("decided_in", ["en", "pl"])
def test_the_register_is_in_the_reader_s_language_whoever_decided(client, decided_in):
    anna, bob = rated(1600), rated(1700)
    played = game(anna, bob)
    game(anna, bob, minute=50)
    publish(category=Category.BLITZ, month=MONTH, at=at(60 * 24 * 90))
    asked = {"game": [str(played.pk)], "result": ["0-1"]}
    with override(decided_in):
        decided("correct-game", **{**parameters_of(played, GAME_FIELDS), **asked})
    one = ChangeSet.objects.get()
    assert one.subject == f"{anna} – {bob}, 1 Mar 2026, game {played.pk}"
    pages = {}
    for language in ("en", "pl"):
        client.cookies["django_language"] = language
        pages[language] = words(client.get(one.get_absolute_url()))
    assert f"{anna} – {bob}, 1 Mar 2026, game {played.pk}" in pages["en"]
    assert f"{RatingList.objects.get()} (2 lines)" in pages["en"]
    assert "1 mar 2026" in pages["pl"]
    assert "2 lines" not in pages["pl"]
    assert "revision" not in pages["pl"]
