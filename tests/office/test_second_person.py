"""When the office wants a second person: by kind, number of ratings, size of a move, and published lists."""

import pytest
from django.core.checks import Tags, run_checks
from django.core.management import call_command
from django.core.management.base import SystemCheckError

from ratings.office.deciding import needs_second
from ratings.office.decision_types import kind_of
from ratings.office.effects import Effect, Fact, Move
from ratings.office.models import ChangeSet
from ratings.rbb.models import Game
from ratings.rules.units import Hundredths
from tests.arena import game, rated
from tests.backoffice import admin_page
from tests.decisions import decide, staff_login
from tests.pages import words

KIND = kind_of("void-games")
FAR = Move(1, "blitz", Hundredths(1600_00), Hundredths(1612_50))
EFFECT = Effect(moves=[FAR, Move(2, "blitz", None, Hundredths(1500_00))])
ON_A_LIST = Effect(facts=[Fact("lists", "list 1", "Blitz", after="2")])


def test_without_a_setting_nobody_else_has_to_look():
    assert not needs_second(KIND, EFFECT.shown())
    assert not needs_second(KIND, ON_A_LIST.shown())


@pytest.mark.parametrize(
    ("names", "needed"), [(["void-games"], True), (["all"], True), (["announce"], False)]
)
def test_by_kind(settings, names, needed):
    settings.SECOND_PERSON_KINDS = names
    assert needs_second(KIND, EFFECT.shown()) is needed


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("void-gamez", "Did you mean void-games? Choose from all, accept-"),
        ("late-facts", "Did you mean rate-games? "),  # facts make these entries; nobody decides them
        ("ALL", "Choose from all, "),
    ],
)
def test_a_misspelt_kind_is_named_and_stops_every_command(settings, name, meant):
    settings.SECOND_PERSON_KINDS = ["publish-lists", "all", name]
    (fault,) = run_checks(tags=[Tags.security])
    assert (fault.id, fault.msg) == ("foa.E032", f"SECOND_PERSON_KINDS: “{name}” isn’t a kind of decision.")
    assert fault.hint.startswith(meant)
    with pytest.raises(SystemCheckError, match=name):
        call_command("publish_due", skip_checks=False)


@pytest.mark.parametrize(("ratings", "needed"), [(2, True), (3, False)])
def test_by_how_many_ratings_move(settings, ratings, needed):
    settings.SECOND_PERSON_RATINGS = ratings
    assert needs_second(KIND, EFFECT.shown()) is needed


@pytest.mark.parametrize(("points", "needed"), [(12, True), (13, False)])
def test_by_how_far_one_moves(settings, points, needed):
    settings.SECOND_PERSON_POINTS = points
    assert needs_second(KIND, EFFECT.shown()) is needed


def test_whenever_a_published_list_is_concerned(settings):
    settings.SECOND_PERSON_LISTS = True
    assert needs_second(KIND, ON_A_LIST.shown())
    assert not needs_second(KIND, EFFECT.shown())


@pytest.mark.django_db
def test_what_another_person_proposed_is_refused_with_a_reason_for_staff_alone(settings):
    settings.SECOND_PERSON_KINDS = ["void-games"]
    played = game(rated(1800), rated(1700))
    officer, other = staff_login("officer", "void-games"), staff_login("other", "void-games")
    address = admin_page(Game, "void")
    looked = officer.get(address, {"game": played.pk})
    assert looked.context["button"].startswith("Propose: ")
    assert "Nothing changes until another person has confirmed it." in words(looked)
    decide(officer, address, {"game": played.pk}, public_reason="fair-play", staff_note="case 7")
    waiting = ChangeSet.objects.get()
    page = admin_page(waiting)
    assert 'value="Refuse"' in other.get(page).text
    assert "Say why you’re refusing this." in words(other.post(page, {"withdraw": "yes"}, follow=True))
    assert ChangeSet.objects.get().state == ChangeSet.State.PROPOSED
    other.post(page, {"withdraw": "yes", "why": "The wrong game."})
    waiting.refresh_from_db()
    assert waiting.state == ChangeSet.State.WITHDRAWN
    assert waiting.staff_note == "case 7\nRefused by other: The wrong game."
    assert "The wrong game." in words(officer.get(page))
    assert Game.objects.get().voided_at is None


@pytest.mark.django_db
def test_who_proposed_it_withdraws_it_with_or_without_a_reason(settings):
    settings.SECOND_PERSON_KINDS = ["void-games"]
    played = game(rated(1800), rated(1700))
    officer = staff_login("officer", "void-games")
    decide(
        officer, admin_page(Game, "void"), {"game": played.pk}, public_reason="fair-play", staff_note="case 7"
    )
    officer.post(admin_page(ChangeSet.objects.get()), {"withdraw": "yes"})
    assert ChangeSet.objects.get().state == ChangeSet.State.WITHDRAWN
    assert ChangeSet.objects.get().staff_note == "case 7"


@pytest.mark.django_db
def test_a_preview_says_in_one_line_what_it_does():
    """D = 100: 0.64 for the higher one, who won: K × (1 − 0.64) = 20 × 0.36 = 7.20 each."""
    played = game(rated(1800, games=30), rated(1700, games=30))
    officer = staff_login("officer", "void-games")
    looked = officer.get(admin_page(Game, "void"), {"game": played.pk})
    assert looked.context["sum"] == "1 change · 2 ratings · up to 7.20 points each · 0 published lists"
