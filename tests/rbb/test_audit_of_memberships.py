"""The audit of RBB 2.1: each fault comes behind the office's back, and nothing else is found."""

import pytest

from members.former import FormerName
from members.models import FullMembership, Member
from ratings.office.audit import audit
from ratings.office.models import AuditFinding
from ratings.rbb.ledger.corrections import void_games
from ratings.rbb.models import Game
from ratings.rules.rbb.conditions import NOT_FULL
from tests.arena import START, at, game, member, points, rated
from tests.audits import mend, sql
from tests.rbb.test_audit_of_games import in_order

pytestmark = pytest.mark.django_db

CHECKS = (
    "games-outside-membership",
    "games-kept-unrated",
    "memberships-overlap",
    "members-with-one-name",
    "usernames-alike",
    "usernames-former",
    "usernames-unseen",
    "names-misleading",
    "accounts-merged",
)


def found():
    """What the checks find now: check, key and text."""
    audit(only=CHECKS)
    rows = AuditFinding.objects.filter(check_name__in=CHECKS, is_there=True)
    return in_order((one.check_name, one.key, one.text % one.words) for one in rows)


def mended():
    """Do what the only finding proposes; what is found then."""
    mend()
    return found()


def an_arena():
    """An arena in which nothing contradicts the rules: also a void game, an unrated one, one in progress."""
    anna = rated(1800)
    game(anna, rated(1700))
    void = game(anna, rated(1700), minute=20)
    game(anna, member(full_from=None), minute=30, rated=False, unrated_reason=NOT_FULL[1])
    game(anna, member(), minute=40, rated=False, unrated_reason="friendly game")
    game(anna, member(), minute=50, rated=False, unrated_reason=NOT_FULL[0], plies=1)
    game(anna, member(), result="", ended_at=None)
    void_games(games=[void], by=None, reason="error", at=at(500))
    left = member("left", name="Berg, Anna", birth_year=1990, full_from=None)
    FullMembership.objects.create(member=left, full_from=at(0), full_until=at(5))
    FullMembership.objects.create(member=left, full_from=at(5))
    member("other", name="Berg, Anna", birth_year=1991)
    member("nobody", name="")
    member("no-one", name="")
    assert found() == []
    return anna


@pytest.fixture(scope="class", autouse=True)
def clean(standing):
    return standing(an_arena)


@pytest.mark.parametrize("colour", ["white", "black", None])
def test_2_1_a_rated_game_outside_membership_is_found_by_name_and_its_decision_mends_it(colour):
    anna, bob = rated(1800), rated(1700)
    played = game(anna, bob)
    for player in {"white": [anna], "black": [bob], None: [anna, bob]}[colour]:
        sql("UPDATE members_fullmembership SET full_until = %s WHERE member_id = %s", at(1), player.pk)
    ((check, key, text),) = found()
    assert (check, key) == ("games-outside-membership", f"game {played.pk}")
    named = {"white": f"{anna} was not", "black": f"{bob} was not", None: "neither player was"}[colour]
    assert f"rated, but {named} a full member then." in text
    assert "2026-03-01T00:05:00Z" in text
    assert mended() == []
    played.refresh_from_db()
    assert not played.rated
    assert points(anna) == 1800


def test_2_1_a_game_kept_unrated_though_its_membership_is_there_is_found_and_rated():
    anna = rated(1800)
    played = game(anna, rated(1700), rated=False, unrated_reason="friendly game")
    sql("UPDATE ratings_game SET unrated_reason = %s WHERE id = %s", NOT_FULL[2], played.pk)
    ((check, key, _text),) = found()
    assert (check, key) == ("games-kept-unrated", f"game {played.pk}")
    assert mended() == []
    assert Game.objects.get(pk=played.pk).rated
    assert points(anna) > 1800


def test_2_1_spans_that_overlap_are_found_and_made_one():
    anna = member("anna")
    sql(
        "INSERT INTO members_fullmembership (member_id, full_from, full_until) VALUES (%s, %s, %s)",
        anna.pk,
        at(10),
        at(20),
    )
    ((check, key, text),) = found()
    assert (check, key) == ("memberships-overlap", f"member {anna.pk}")
    assert "2026-03-01T00:00:00Z/, 2026-03-01T00:10:00Z/2026-03-01T00:20:00Z" in text
    assert mended() == []
    assert anna.full_memberships.get().span == (START, None)


def test_members_of_the_same_name_and_birth_year_are_found():
    one = member("anna2", name="BERG, Anna", birth_year=1990)
    first = Member.objects.get(username="left")
    assert found() == [
        (
            "members-with-one-name",
            f"member {first.pk}",
            "left, anna2: the same name (Berg, Anna) and birth year (1990).",
        )
    ]
    assert one.pk > first.pk


def test_usernames_that_differ_only_in_capital_letters_are_found():
    one = member("Left")
    (finding,) = found()
    assert finding[0] == "usernames-alike"
    assert "left, Left" in finding[2]
    assert one.username == "Left"


def test_usernames_that_differ_only_in_composition_are_found():
    member("jose\u0301")
    apart = Member.objects.get(username="jose\u0301")
    member("JOS\u00c9")
    alike, unseen = found()
    assert alike[:2] == ("usernames-alike", f"member {apart.pk}")
    assert "jose\u0301, JOS\u00c9" in alike[2]
    assert unseen == (
        "usernames-unseen",
        f"member {apart.pk}",
        "jose\u0301: the username jose\u0301 has accents stored as separate characters (not NFC).",
    )


def test_usernames_with_characters_that_cannot_be_seen_are_found():
    one = member("be\u200brg")
    assert found() == [
        (
            "usernames-unseen",
            f"member {one.pk}",
            "be\u200brg: the username be\u200brg has U+200B, which is invisible.",
        )
    ]


def test_usernames_that_nobody_could_take_today_are_found():
    one, other, wide = member("a/b"), member("."), member("ａnna")
    assert found() == [
        ("usernames-unseen", f"member {one.pk}", "The username “a/b” contains a slash. Remove it."),
        ("usernames-unseen", f"member {other.pk}", "The username “.” needs at least one letter or digit."),
        (
            "usernames-unseen",
            f"member {wide.pk}",
            "The username “ａnna” has characters in an unusual width or form. Write it as “anna”.",
        ),
    ]


def test_names_that_may_look_like_another_one_are_found():
    one = member("аnna", name="Berg,\u202e Anna")
    assert found() == [
        ("names-misleading", f"member {one.pk} name", "аnna: the name has U+202E, which is invisible."),
        (
            "names-misleading",
            f"member {one.pk} аnna",
            "“аnna” mixes letters from several alphabets, so it may look like another name: а + nna.",
        ),
    ]


def test_usernames_that_lead_to_another_member_are_found():
    one, other = member("otto"), member("paula")
    FormerName.objects.create(member=other, text="Otto", username_key="otto", until=START)
    text = "otto: the username otto used to belong to paula, and still leads to them."
    assert found() == [("usernames-former", f"member {one.pk}", text)]


def test_ratings_of_accounts_that_were_merged_are_found():
    one, other = rated(1800), member("paula")
    sql("UPDATE members_member SET merged_into_id = %s WHERE id = %s", other.pk, one.pk)
    (finding,) = found()
    assert finding[0] == "accounts-merged"
    assert finding[2] == f"{one.username} was merged into paula and has a rating in blitz."
