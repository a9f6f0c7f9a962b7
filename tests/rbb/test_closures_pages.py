"""Fair play on pages: what everybody reads of a closed account, and what the office does."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission
from django.core.exceptions import ValidationError
from django.utils import timezone

from members.models import AccountClosure
from ratings.office.models import ChangeSet, OutboxEntry
from ratings.rbb.decisions import closures as decisions_of_closures
from ratings.rbb.models import RatingChange
from ratings.rbb.models.recalculations import RecalculatedLine
from tests.arena import at, game, member, rated
from tests.backoffice import admin_page
from tests.decisions import REASONS, confirmed_on, decided, look, shown_on, staff_login, undo
from tests.pages import words
from tests.rbb.closing import asked, close, reopen, toth_has_played, void

pytestmark = [pytest.mark.django_db, pytest.mark.rendered]


@pytest.fixture(scope="class")
def played(standing):
    return standing(toth_has_played)


def permission(codename):
    return Permission.objects.get(codename=codename)


class TestWhatTheWorldReads:
    def test_the_register_has_the_reason_and_nobodys_name(self, client, played):
        done = close(played[0])
        assert done.moved == 3
        for address in ("/register/", done.get_absolute_url(), f"{done.get_absolute_url()}?format=csv"):
            page = client.get(address)
            body = page.getvalue().decode()
            assert page.status_code == 200
            assert not [who for who in played[:3] if str(who) in body or who.username in body]
            assert "engine" not in body
        text = words(client.get(done.get_absolute_url()))
        assert "Games of a closed account voided" in text
        assert "Fair play" in text
        assert "3 ratings changed." in text
        assert "Members aren’t named here." in text

    def test_opponents_read_on_their_pages_why_their_rating_moved(self, client, played):
        anna, bob, carl, _games = played
        # What is counted for their pages is kept.
        assert "Corrections to past ratings" not in client.get(bob.get_absolute_url()).content.decode()
        done = close(anna)
        for who in (bob, carl):
            text = client.get(who.get_absolute_url()).content.decode()
            assert (
                f'<a href="{done.get_absolute_url()}">#{done.pk} Games of a closed account voided</a>' in text
            )
            assert f"({timezone.now():%-d %b %Y}, Fair play)" in text
        back = reopen(anna)
        page = client.get(bob.get_absolute_url()).content.decode()
        told = f"#{back.pk} Account reopened, its games count again"
        assert f'<a href="{back.get_absolute_url()}">{told}</a>' in page
        stranger = member()
        assert "Corrections to past ratings" not in client.get(stranger.get_absolute_url()).content.decode()

    def test_a_decision_that_was_taken_back_counts_as_none_and_others_are_one_line(self, client, played):
        anna, bob, _carl, games = played
        first = decided("void-games", game=[str(games[0].pk)], reason="error")
        second = close(anna, since="2026-03-01")
        both = words(client.get(bob.get_absolute_url()))
        assert both.count("Corrections to past ratings") == 1
        assert both.index(f"#{second.pk} Games of a closed account voided") < both.index(f"#{first.pk}: ")
        back = undo(second)
        now = client.get(bob.get_absolute_url()).content.decode()
        assert first.get_absolute_url() in now
        assert second.get_absolute_url() not in now
        assert back.get_absolute_url() not in now
        assert list(ChangeSet.objects.in_force()) == [first]
        # Whoever takes an undo back has decided the first thing again.
        again = undo(undo(first))
        assert list(ChangeSet.objects.in_force()) == [first]
        assert again.get_absolute_url() not in client.get(bob.get_absolute_url()).content.decode()

    def test_an_opponent_whose_only_game_is_void_reads_it_too(self, client):
        anna, dora = rated(1700, minute=-20), rated(1700, minute=-20)
        game(dora, anna, minute=30)
        done = close(anna)
        assert RecalculatedLine.objects.filter(member=dora, gone=True).exists()
        assert not RatingChange.objects.filter(member=dora, game__isnull=False).exists()
        assert done.get_absolute_url() in client.get(dora.get_absolute_url()).content.decode()

    def test_the_page_of_the_member_says_from_when_until_when_and_why_but_not_the_note(self, client, played):
        anna = played[0]
        close(anna, closed_until="2026-04-01T00:00")
        text = words(client.get(anna.get_absolute_url()))
        assert "from 1 Mar 2026, 00:25 UTC until 1 Apr 2026 (Fair play)" in text
        assert "engine" not in text

    def test_followers_are_told_that_the_member_changed(self, played):
        done = close(played[0])
        told = OutboxEntry.objects.filter(change_set=done, event=OutboxEntry.Event.MEMBER_CHANGED)
        assert [one.about for one in told] == [played[0].pk]


class TestTheOffice:
    def test_the_member_page_leads_to_closing_and_reopening(self, played):
        officer = staff_login("officer", "close-account")
        for right in ("view_member", "change_member", "view_accountclosure"):
            officer.user.user_permissions.add(permission(right))
        anna, bob, _carl, _games = played
        page = officer.get(admin_page(anna)).content.decode()
        address = admin_page(type(anna), "close")
        assert f'href="{address}?member={anna.pk}"' in page
        form = officer.get(address, {"member": anna.pk})
        assert form.status_code == 200
        assert f"Toth, Anna ({anna.username})" in words(form)
        assert "errorlist" not in form.content.decode()
        shown = officer.post(address, {name: value[0] for name, value in asked(anna).items()})
        assert shown.context["button"] == "Close the account and void 3 games"
        assert f"{bob} Blitz" in words(shown)
        assert confirmed_on(officer, shown).status_code == 302
        assert len(void()) == 3
        closure = AccountClosure.objects.get()
        again = admin_page(type(anna), "reopen")
        assert f'href="{again}?closure={closure.pk}"' in officer.get(admin_page(anna)).content.decode()
        looked = officer.get(again, {"closure": closure.pk})
        assert looked.context["button"] == "Reopen the account and reinstate 3 games"
        posted = {"closure": closure.pk, "shown": shown_on(looked), **REASONS}
        assert officer.post(again, posted).status_code == 302
        assert void() == set()

    def test_who_may_not_decide_it_sees_no_button_and_no_closure(self, played):
        clerk = staff_login("clerk")
        for right in ("view_member", "change_member"):
            clerk.user.user_permissions.add(permission(right))
        anna = played[0]
        close(anna)
        assert "/close/" not in clerk.get(admin_page(anna)).content.decode()
        assert "Closed from" not in clerk.get(admin_page(anna)).content.decode()
        assert clerk.get(admin_page(AccountClosure.objects.get())).status_code == 403

    def test_only_the_note_is_edited_and_its_history_is_kept(self, staff, played):
        close(played[0])
        closure = AccountClosure.objects.get()
        page = admin_page(closure)
        posted = {"note": "appealed", "category": "other", "closed_from_0": "2026-01-01"}
        assert staff.post(page, posted).status_code == 302
        changed = AccountClosure.objects.get()
        assert (changed.note, changed.category, changed.closed_from) == ("appealed", "fair-play", at(25))
        assert "appealed" in words(staff.get(admin_page(closure, "history")))
        assert staff.get(admin_page(AccountClosure, "add")).status_code == 403
        assert staff.get(admin_page(closure, "delete")).status_code == 403

    def test_the_list_is_filtered_by_today(self, staff, played):
        anna, bob, carl, _games = played
        now = timezone.now()
        close(anna)
        close(bob, closed_from=f"{now + timedelta(days=3):%Y-%m-%dT%H:%M}", games="keep")
        close(carl, closed_until="2026-03-01T00:50", games="keep")
        for chosen, who in (("now", anna), ("later", bob), ("over", carl)):
            found = staff.get(admin_page(AccountClosure), {"closed": chosen}).context["cl"].result_list
            assert [one.member for one in found] == [who]

    def test_many_games_are_left_to_the_worker(self, played, worker, monkeypatch):
        monkeypatch.setattr(decisions_of_closures, "MANY_GAMES", 3)
        anna, bob, *_ = played
        officer = staff_login("officer", "close-account")
        address = admin_page(type(anna), "close")

        def decided(who):
            shown = look(
                officer, address, {name: value[0] for name, value in asked(who).items()}, posted=True
            )
            assert confirmed_on(officer, shown).status_code == 302
            return ChangeSet.objects.latest("pk")

        # Anna has three games.
        queued = decided(anna)
        assert (queued.state, void()) == (ChangeSet.State.QUEUED, set())
        worker()
        queued.refresh_from_db()
        assert (queued.state, len(void())) == (ChangeSet.State.APPLIED, 3)
        assert decided(bob).state == ChangeSet.State.APPLIED


def test_an_account_that_is_closed_already_is_told_in_one_sentence():
    who = rated(1700, minute=-20)
    close(who)
    with pytest.raises(ValidationError) as refusal:
        close(who)
    assert [text.split(":")[0] for text in refusal.value.messages] == [
        ("The account is already closed at that time")
    ]
