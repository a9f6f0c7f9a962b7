"""Who is told of what: each member once, as they have chosen."""

from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone

from ratings.notices.models import Choice, Digest, Follow, Notice, NoticeType, Occasion
from ratings.notices.services import telling
from ratings.notices.services.choosing import choose, follow
from ratings.notices.services.telling import forget, items, next_digest, tell_all
from ratings.rbb.decisions.closures import ALL
from ratings.rbb.lists.publishing import publish
from ratings.rbb.models import Game
from ratings.rbb.personal import erase_member, tables_of
from ratings.rules.time_controls import Category
from tests.arena import game, rated
from tests.decisions import decided, undo

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 4, 1, 12, tzinfo=UTC)
APRIL, MAY = (datetime(2026, month, 1, tzinfo=UTC) for month in (4, 5))


def publish_april(month=APRIL):
    return publish(category=Category.BLITZ, month=month, at=NOON)[0]


def told(member, kind=None):
    found = Notice.objects.filter(member=member)
    return [one.kind for one in (found if kind is None else found.filter(kind=kind)).order_by("pk")]


def three_people():
    """Anna and Boris, who played each other and have logins, and Clara, who has none."""
    anna, boris, clara = rated(1800), rated(1700), rated(1600)
    for name, one in (("anna", anna), ("boris", boris)):
        one.user = User.objects.create_user(name, f"{name}@arena.example")
        one.name = name.title()
        one.save()
    game(anna, boris)
    game(clara, boris, minute=30)
    return anna, boris, clara


@pytest.fixture(scope="class")
def people(standing):
    return standing(three_people)


def test_members_with_a_login_are_told_their_line_on_a_new_list(people):
    anna, boris, clara = people
    published = publish_april()
    tell_all(NOON)
    assert (told(anna), told(boris), told(clara)) == (["list"], ["list"], [])
    line = published.entries.get(member=anna)
    (item,) = items(Notice.objects.filter(member=anna))
    assert (item.title, item.figure) == ("Your rating on the April 2026 blitz list", str(line.displayed))
    assert (item.change, item.text) == ("new", f"rank {line.rank}, 1 game")
    assert item.address == line.get_absolute_url()


def test_it_is_told_once_however_often_the_worker_looks(people):
    publish_april()
    tell_all(NOON)
    tell_all(NOON)
    assert Notice.objects.count() == 2
    assert not Occasion.objects.exists()


def test_a_worker_that_dies_half_way_leaves_the_whole_for_the_next(people, monkeypatch):
    publish_april()
    monkeypatch.setattr(telling, "_wait_for_digest", lambda last, at: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        tell_all(NOON)
    assert not Notice.objects.exists()
    monkeypatch.undo()
    tell_all(NOON)
    assert Notice.objects.count() == 2


def test_a_month_that_is_made_up_for_and_a_revision_are_no_news(people):
    publish_april(MAY)
    publish_april(APRIL)
    tell_all(NOON)
    lists = {item.title for item in items(Notice.objects.filter(member=people[0]))}
    assert len(lists) == 1
    assert "May 2026" in lists.pop()


def test_nobody_is_told_what_they_have_chosen_not_to_be(people):
    anna, boris, _clara = people
    choose(anna, {("list", "feed")})
    choose(boris, set())
    publish_april()
    tell_all(NOON)
    notice = Notice.objects.get()
    assert (notice.member, notice.page, notice.feed, notice.mail) == (anna, False, True, False)
    assert not Digest.objects.exists()


def test_followers_are_told_of_the_line_of_whom_they_follow(people):
    anna, _boris, clara = people
    follow(anna, clara, at=NOON)
    publish_april()
    tell_all(NOON)
    notice = Notice.objects.get(kind=NoticeType.FOLLOWED)
    assert (notice.member, notice.about) == (anna, clara)
    (item,) = items([notice])
    assert item.title == f"{clara} on the April 2026 blitz list"


def test_a_decision_that_moves_a_rating_is_told_with_its_public_reason(people):
    anna, _boris, _clara = people
    played = Game.objects.get(white=anna)
    decision = decided("void-games", game=[str(played.pk)], reason="error")
    tell_all(NOON)
    assert told(anna) == ["correction"]
    (item,) = items(Notice.objects.filter(member=anna))
    assert item.title == "A decision changed your blitz rating"
    assert item.figure == "1800.00"
    assert (item.is_gain, item.is_loss) == (False, True)
    assert "Reason: Entered in error." in item.text
    assert item.address == decision.get_absolute_url()


def corrections(member):
    """What the member is told of decisions: the change, in the order in which they came."""
    found = Notice.objects.filter(member=member, kind=NoticeType.CORRECTION).order_by("pk")
    return [item.change for item in items(found)]


@pytest.mark.parametrize("in_one_go", [True, False])
def test_of_a_decision_and_its_undo_nobody_is_told(people, in_one_go):
    anna, boris, _clara = people
    decision = decided("void-games", game=[str(Game.objects.get(white=anna).pk)], reason="error")
    if not in_one_go:
        tell_all(NOON)
        assert corrections(anna) == ["−7.20"]
    undo(decision)
    tell_all(NOON)
    assert (corrections(anna), corrections(boris)) == ([], [])


def test_whoever_has_read_of_a_decision_is_told_that_it_was_taken_back(people):
    anna, boris, _clara = people
    decision = decided("void-games", game=[str(Game.objects.get(white=anna).pk)], reason="error")
    tell_all(NOON)
    Notice.objects.filter(member=anna).update(read_at=NOON)
    undo(decision)
    tell_all(NOON)
    assert (corrections(anna), corrections(boris)) == (["−7.20", "+7.20"], [])


def test_whoever_has_a_decision_by_mail_is_told_that_it_was_taken_back(people):
    anna, _boris, _clara = people
    decision = decided("void-games", game=[str(Game.objects.get(white=anna).pk)], reason="error")
    tell_all(NOON)
    mailed = Digest.objects.create(member=anna, state=Digest.State.SENT, next_attempt_at=NOON)
    Notice.objects.filter(member=anna).update(digest=mailed)
    undo(decision)
    tell_all(NOON)
    assert corrections(anna) == ["−7.20", "+7.20"]


def test_a_decision_that_counts_again_is_told_like_a_new_one(people):
    anna, _boris, _clara = people
    decision = decided("void-games", game=[str(Game.objects.get(white=anna).pk)], reason="error")
    back = undo(decision)
    tell_all(NOON)
    again = undo(back)
    tell_all(NOON)
    assert corrections(anna) == ["−7.20"]
    (notice,) = Notice.objects.filter(member=anna)
    assert again.moves.filter(pk=notice.key).exists()


def test_nobody_learns_from_news_whose_account_was_closed(people, django_user_model):
    anna, boris, clara = people
    follow(anna, clara, at=NOON)
    decided(
        "close-account",
        member=[str(clara.pk)],
        closed_from=["2026-03-01T00:00:00Z"],
        category=["fair-play"],
        games=[ALL],
        since=["2026-03-01"],
        reason="fair-play",
    )
    tell_all(NOON)
    assert told(anna) == []
    (item,) = items(Notice.objects.filter(member=boris))
    assert "Reason: Fair play." in item.text
    assert clara.username not in f"{item.title} {item.text} {item.address}"


def test_what_is_told_by_mail_waits_for_one_digest_the_next_morning(people):
    anna, _boris, clara = people
    choose(anna, {("list", "mail"), ("followed", "mail")})
    follow(anna, clara, at=NOON)
    publish_april()
    tell_all(NOON)
    digest = Digest.objects.get()
    assert (digest.member, digest.next_attempt_at) == (anna, datetime(2026, 4, 2, 6, tzinfo=UTC))
    assert told(anna) == ["followed", "list"]
    assert next_digest(datetime(2026, 4, 2, 5, 59, tzinfo=UTC)) == digest.next_attempt_at


def test_old_news_goes(people):
    publish_april()
    tell_all(NOON)
    at = Notice.objects.first().at
    forget(at + telling.KEPT)
    assert Notice.objects.exists()
    forget(at + telling.KEPT + timedelta(seconds=1))
    assert not Notice.objects.exists()


def test_erasing_a_member_takes_what_they_follow_and_what_is_told_of_them(people):
    anna, boris, _clara = people
    follow(anna, boris, at=NOON)
    follow(boris, anna, at=NOON)
    choose(anna, {("list", "mail")})
    publish_april()
    tell_all(NOON)
    erase_member(member=anna, at=timezone.now())
    assert not Follow.objects.exists()
    assert not Choice.objects.filter(member=anna).exists()
    assert not Digest.objects.exists()
    assert told(boris) == ["list"]


def test_what_is_stored_of_news_is_handed_out(people):
    names = {table.name for table in tables_of(people[0], for_staff=False)}
    assert {"following", "news", "news-choices", "news-mails"} <= names


def test_nobody_follows_themselves(people):
    with pytest.raises(IntegrityError), transaction.atomic():
        Follow.objects.create(follower=people[0], followed=people[0], at=NOON)
