"""Any time control can be typed in the form of a game; those of RBB 2.3 come first, by category."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission, User

from ratings.formats.controls import read_typed_control
from ratings.rbb.models import Game, TimeControl
from ratings.rules.time_controls import Control
from tests.arena import control, game, rated
from tests.backoffice import admin_page, game_form
from tests.decisions import confirmed_on
from tests.pages import words

ADD = f"{admin_page(Game)}add/"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("7+5", Control(420, 5)),
        (" 7 + 5 ", Control(420, 5)),
        ("7", Control(420, 0)),
        ("90+30", Control(5400, 30)),
        ("1 min 30 s + 1 s", Control(0, 0, "1 min 30 s + 1 s")),
        ("7 min + 5 s", Control(420, 5)),
        ("40/7200:3600", Control(0, 0, "40/7200:3600")),
    ],
)
def test_a_typed_control_is_minutes_and_seconds_a_move(text, expected):
    assert read_typed_control(text) == expected


def test_seconds_taken_for_minutes_are_refused():
    with pytest.raises(
        ValueError, match=r"“600\+10” would be 600 minutes; enter minutes and seconds per move"
    ):
        read_typed_control("600+10")


pytestmark = pytest.mark.django_db


def entered(**fields):
    """What the form of a new game posts."""
    return game_form(rated(1800), rated(1700), **{"time_control": "", "rated": "", **fields})


def test_an_unrated_game_of_7_plus_5_is_entered(staff):
    assert staff.post(ADD, entered(other_control="7+5", unrated_reason="casual")).status_code == 302
    played = Game.objects.get()
    assert (str(played.time_control), played.time_control.category, played.rated) == (
        "7 min + 5 s",
        None,
        False,
    )


def test_a_typed_control_of_the_list_is_that_control_and_rated(staff):
    assert staff.post(ADD, entered(other_control="3+2", rated="on")).status_code == 302
    assert Game.objects.get().time_control == control("180+2")
    assert TimeControl.objects.count() == 17


def test_a_rated_game_of_another_control_is_refused_with_the_article(staff):
    page = staff.post(ADD, entered(other_control="7+5", rated="on"))
    assert "time control 420+5 is not one of the seventeen that are rated (RBB 2.3)" in words(page)


def test_a_game_needs_a_control(staff):
    page = staff.post(ADD, entered(other_control="  "))
    assert page.context["adminform"].form.errors == {
        "time_control": ["Choose a time control, or type another one."]
    }


def test_what_is_not_a_control_is_said_at_its_field(staff):
    page = staff.post(ADD, entered(other_control="600+10"))
    assert list(page.context["adminform"].form.errors) == ["other_control"]


def test_a_rated_game_becomes_one_of_a_typed_control_by_a_decision(staff):
    played = game(rated(1800), rated(1700))
    form = game_form(played.white, played.black, other_control="7+5", rated="", unrated_reason="7+5")
    preview = staff.post(admin_page(played), form)
    assert "time control: 3 min + 2 s → 7 min + 5 s" in words(preview)
    assert confirmed_on(staff, preview).status_code == 302
    played.refresh_from_db()
    assert (played.time_control.control, played.rated) == (Control(420, 5), False)


def test_the_controls_of_the_list_say_their_category_and_others_come_last(staff):
    played = game(rated(1800), rated(1700), notation="420+5", rated=False)
    control("540+9")
    form = staff.get(admin_page(played)).context["adminform"].form
    groups = [
        (str(name), [label for _pk, label in some]) for name, some in form["time_control"].field.choices[1:]
    ]
    assert [name for name, _labels in groups] == ["Rapid", "Blitz", "Bullet", "Unrated (RBB 2.2)"]
    assert groups[2:] == [
        ("Bullet", ["1 min", "1 min + 1 s", "1 min + 2 s", "2 min"]),
        ("Unrated (RBB 2.2)", ["7 min + 5 s"]),
    ]


def test_who_may_only_look_sees_no_box(client):
    played = game(rated(1800), rated(1700))
    reader = User.objects.create_user("reader", is_staff=True)
    reader.user_permissions.add(Permission.objects.get(codename="view_game"))
    client.force_login(reader)
    assert "Another time control" not in words(client.get(admin_page(played)))
    client.post(admin_page(played), {"other_control": "7+5"})
    assert TimeControl.objects.count() == 17


def test_a_second_copy_is_offered_only_for_the_same_game(staff):
    first = entered(other_control="7+5", unrated_reason="casual")
    wrong = staff.post(ADD, {**first, "plies": "x"})
    assert wrong.context["adminform"].form["twice"].is_hidden
    assert "form-row hidden field-twice" in wrong.text
    assert staff.post(ADD, first).status_code == 302
    again = staff.post(ADD, first)
    assert not again.context["adminform"].form["twice"].is_hidden
    assert "Save a second copy" in words(again)
    assert staff.post(ADD, {**first, "twice": "on"}).status_code == 302
    assert Game.objects.count() == 2
