"""The daily mail: one for each member, once, whatever becomes of the worker."""

import re
import signal
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from pathlib import Path
from smtplib import SMTPRecipientsRefused, SMTPServerDisconnected

import pytest
from django.conf import settings as site
from django.core.mail.backends.filebased import EmailBackend
from django.core.mail.backends.locmem import EmailBackend as Outbox

from foa.models import LoginSettings
from ratings.notices.models import Choice, Digest, Notice, NoticeType
from ratings.notices.services import digests
from ratings.notices.services.choosing import choose, stop_mail, unsubscribe_token
from ratings.notices.services.digests import LEASE, WAITS, claim, send_due
from ratings.notices.services.telling import tell_all
from ratings.rbb.lists.publishing import publish
from ratings.rules.time_controls import Category
from tests.arena import game, rated
from tests.rbb.workers import kill_half_way

NOON = datetime(2026, 4, 1, 12, tzinfo=UTC)
MORNING = datetime(2026, 4, 2, 6, tzinfo=UTC)


def arena(number=2):
    """So many members who want a mail for each list, and the list of April."""
    from django.contrib.auth.models import User

    members = [rated(1800 - place) for place in range(number)]
    for place, one in enumerate(members):
        one.user = User.objects.create_user(f"m{place}", f"m{place}@arena.example")
        one.save()
        choose(one, {("list", "page"), ("list", "mail")})
    game(members[0], members[1])
    publish(category=Category.BLITZ, month=datetime(2026, 4, 1, tzinfo=UTC), at=NOON)
    tell_all(NOON)
    return members


def send(at=MORNING):
    send_due(lambda: at)


@pytest.fixture(scope="class")
def members(standing):
    return standing(arena)


def test_each_gets_one_mail_in_the_morning(members, mailoutbox):
    send(MORNING - timedelta(seconds=1))
    assert mailoutbox == []
    send()
    send(MORNING + timedelta(days=1))
    assert [one.to for one in mailoutbox] == [["m0@arena.example"], ["m1@arena.example"]]
    first = mailoutbox[0]
    assert first.subject == "1 update from the rating office"
    assert "* Your rating on the April 2026 blitz list: 18" in first.body
    assert f"{site.SITE_URL}/" in first.body


def test_the_mail_can_be_stopped_with_one_click(members, mailoutbox, client):
    send()
    headers = mailoutbox[0].extra_headers
    assert headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    link = re.fullmatch(rf"<{site.SITE_URL}(/news/unsubscribe/\S+/)>", headers["List-Unsubscribe"])[1]
    assert link in mailoutbox[0].body
    client.handler.enforce_csrf_checks = True
    assert client.get(link).status_code == 200
    assert Choice.objects.get(member=members[0], kind=NoticeType.LIST).mail
    assert client.post(link, {"List-Unsubscribe": "One-Click"}).status_code == 200
    assert not Choice.objects.filter(member=members[0], mail=True).exists()
    assert Choice.objects.get(member=members[0], kind=NoticeType.LIST).page
    assert Choice.objects.get(member=members[1], kind=NoticeType.LIST).mail


@pytest.mark.parametrize("token", ["x", "1:x", "1"])
def test_a_made_up_link_stops_nothing(members, client, token):
    assert client.post(f"/news/unsubscribe/{token}/").status_code == 404
    assert Choice.objects.filter(mail=True).count() == 2


def test_who_stopped_it_meanwhile_gets_none(members, mailoutbox):
    stop_mail(members[0])
    send()
    assert [one.to for one in mailoutbox] == [["m1@arena.example"]]


def test_who_has_no_address_or_no_login_any_more_gets_none(members, mailoutbox):
    members[0].user.email = ""
    members[0].user.save()
    members[1].user.is_active = False
    members[1].user.save()
    send()
    assert mailoutbox == []
    assert not Digest.objects.due(MORNING + timedelta(days=9)).exists()


def test_it_is_in_the_language_of_the_login(members, mailoutbox):
    LoginSettings.objects.create(user=members[0].user, language="pl")
    send()
    assert "kwiecień 2026" in mailoutbox[0].body
    assert "April 2026" in mailoutbox[1].body


def test_what_a_killed_worker_had_is_sent_by_the_next_after_the_lease(members, mailoutbox):
    lent = claim(MORNING)
    send()
    assert [one.to for one in mailoutbox] == [["m1@arena.example"]]
    send(MORNING + LEASE - timedelta(seconds=1))
    assert len(mailoutbox) == 1
    send(MORNING + LEASE)
    assert [one.to for one in mailoutbox] == [["m1@arena.example"], ["m0@arena.example"]]
    assert mailoutbox[1].extra_headers["Message-ID"] == f"<digest-{lent.pk}@127.0.0.1>"


def test_what_comes_after_the_claim_goes_into_the_next_mail(members, mailoutbox):
    first = claim(MORNING)
    game(members[0], members[1], minute=60 * 24 * 40)
    publish(category=Category.BLITZ, month=datetime(2026, 5, 1, tzinfo=UTC), at=NOON)
    tell_all(MORNING)
    assert Notice.objects.filter(digest=first).count() == 1
    second = Digest.objects.get(member=first.member, state=Digest.State.WAITING)
    assert second.next_attempt_at == MORNING + timedelta(days=1)


def test_a_server_that_fails_is_asked_again_and_given_up_in_the_end(members, mailoutbox, monkeypatch):
    def fail(self, messages):
        raise SMTPServerDisconnected("gone")

    monkeypatch.setattr(Outbox, "send_messages", fail)
    at = MORNING
    for wait in WAITS:
        with pytest.raises(SMTPServerDisconnected):
            send(at)
        Digest.objects.filter(attempts=0).delete()
        assert Digest.objects.get().next_attempt_at == at + wait
        at += wait
    with pytest.raises(SMTPServerDisconnected):
        send(at)
    assert Digest.objects.get().state == Digest.State.FAILED
    assert mailoutbox == []


def test_an_address_that_is_refused_delays_no_other(members, mailoutbox, monkeypatch):
    take = Outbox.send_messages

    def refuse_first(self, messages):
        if messages[0].to == ["m0@arena.example"]:
            raise SMTPRecipientsRefused({"m0@arena.example": (550, b"unknown")})
        return take(self, messages)

    monkeypatch.setattr(Outbox, "send_messages", refuse_first)
    send()
    assert [one.to for one in mailoutbox] == [["m1@arena.example"]]
    assert Digest.objects.get(member=members[0]).attempts == 1


def test_the_link_of_a_merged_account_stops_the_mail_of_who_took_it_in(members):
    one, other = members
    type(one).everybody.filter(pk=other.pk).update(merged_into=one, user=None)
    from ratings.notices.services.choosing import who_unsubscribes

    assert who_unsubscribes(unsubscribe_token(other)) == one


def send_into(folder, marker="", later=False):
    """Send what is due into files; with a marker, hang before the second mail."""
    sent = []

    class Files(EmailBackend):
        def __init__(self, **kwargs):
            super().__init__(file_path=folder, **kwargs)

        def send_messages(self, messages):
            if marker and sent:
                Path(marker).touch()
                signal.pause()
            sent.append(super().send_messages(messages))

    digests.get_connection = Files
    at = MORNING + LEASE if later else MORNING
    digests.send_due(lambda: at)


@pytest.mark.process
def test_kill_9_between_two_mails_and_each_member_still_gets_exactly_one(
    office, within, tmp_path, monkeypatch
):
    marker, folder = tmp_path / "half-way", tmp_path / "mails"
    with within():
        arena(4)
    code = f"from {__name__} import send_into; send_into({str(folder)!r}, {str(marker)!r})"
    kill_half_way(office, marker, "shell", "-c", code)
    # So that it is put back in the end: what is sent here sets it.
    monkeypatch.setattr(digests, "get_connection", digests.get_connection)
    with within():
        send_into(folder, later=True)
    mails = b"".join(one.read_bytes() for one in folder.iterdir()).split(b"-" * 79 + b"\n")
    found = [message_from_bytes(one) for one in mails if one.strip()]
    assert sorted(one["To"] for one in found) == [f"m{place}@arena.example" for place in range(4)]
    assert len({one["Message-ID"] for one in found}) == 4
