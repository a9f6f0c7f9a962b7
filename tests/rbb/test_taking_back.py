"""A file that was applied is taken back: what nothing else has used goes, the rest stays and says why."""

from dataclasses import replace

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.core.exceptions import ValidationError
from django.utils import timezone

from members.models import FullMembership, Member
from ratings.desk.services.cases import open_by_member
from ratings.office.deciding import Proposal, decide_at_once, preview
from ratings.office.decision_types import Decision, kind_of
from ratings.office.models import ChangeSet
from ratings.rbb.ledger.replay import replay
from ratings.rbb.models import ArenaEvent, Game, ImportBatch, RatingChange
from tests.arena import at, game
from tests.commands import game_row
from tests.decisions import decided, look, undo
from tests.files import brought, games_csv, kept, page_of
from tests.pages import words
from tests.rbb.test_import_decisions import OfAFile

pytestmark = pytest.mark.django_db

MEMBERS = "username,name,fide_id,federation,sex,birth_year,title,full_from,full_until\n"


def applied(officer, worker, kind, content, name, **options):
    """The page of a file that was applied, and what was decided so."""
    one = brought(officer, kind, content, name, **options)
    worker()
    officer.post(page_of(one), {"apply": "yes"})
    worker()
    one.refresh_from_db()
    assert one.change_set.state == ChangeSet.State.APPLIED, one.change_set.outcome
    return one


def lines():
    """The ledger without its keys."""
    return list(
        RatingChange.objects.order_by("member", "occurred_at").values_list("member", "after", "games")
    )


def taking_back(change_set):
    """The proposal of the button."""
    undo = change_set.undo
    return Proposal(
        kind=kind_of(undo["kind"]), parameters=undo["parameters"], note="wrong file", undoes=change_set
    )


def warnings(change_set):
    return [fact.label for fact in preview(taking_back(change_set)).warnings]


FOUR = games_csv(game_row(1), game_row(2, "bob", "anna"), game_row(3), game_row(4, "bob", "anna"))


class TestGames:
    def test_the_page_lists_them_with_a_filter_and_leads_to_the_way_back(self, arena, officer, worker):
        played = game(*arena, minute=500)
        without_the_file = lines()
        played.delete()
        file = applied(officer, worker, "import-games", FOUR, "games.csv")
        game(*arena, minute=500)
        page = officer.get(page_of(file))
        assert "4 entries from this file are stored" in words(page)
        (batch,) = ImportBatch.objects.all()
        assert f"/admin/ratings/game/?batch={batch.pk}" in page.text
        listed = officer.get(f"/admin/ratings/game/?batch={batch.pk}")
        assert listed.context["cl"].result_count == 4
        address = f"/admin/office/changeset/decide/take-back-games/?undoes={file.change_set.pk}"
        assert address in page.text
        looked = words(look(officer, address))
        assert "This can’t be undone, but you can import the file again." in looked
        done = undo(file.change_set)
        assert done.undo is None
        assert lines() == without_the_file
        assert replay(check=True).differences == 0
        page = words(officer.get(page_of(file)))
        assert "Reversed by" in page
        assert "Reverse …" not in page

    def test_the_page_of_a_decision_without_a_way_back_says_so(self, arena, officer, worker):
        file = applied(officer, worker, "import-games", FOUR, "games.csv")
        taken_back = undo(file.change_set)
        final = "This decision can’t be reversed. If something is wrong, correct it; published lists then"
        pages = [
            words(officer.get(f"/admin/office/changeset/{one.pk}/change/"))
            for one in (file.change_set, taken_back)
        ]
        assert [final in page for page in pages] == [False, True]

    def test_games_that_were_corrected_voided_or_disputed_since_stay_and_say_why(
        self, arena, officer, worker
    ):
        file = applied(officer, worker, "import-games", FOUR, "games.csv")
        void, corrected, disputed, _free = Game.objects.order_by("pk")
        decided("void-games", game=[str(void.pk)])
        corrected.plies = 40
        corrected.save()
        line = RatingChange.objects.filter(game=disputed).first()
        open_by_member(about="line", key=line.pk, member=arena[0], text="Wrong.", at=at(600))
        assert warnings(file.change_set)[1:] == [
            f"{void} is kept: void.",
            f"{corrected} is kept: changed since the import.",
            f"{disputed} is kept: it is the subject of a case.",
        ]
        taken_back = undo(file.change_set)
        assert set(Game.objects.all()) == {void, corrected, disputed}
        assert replay(check=True).differences == 0
        with pytest.raises(ValidationError) as refused:
            preview(taking_back(file.change_set))
        assert refused.value.messages == [
            f"{file.change_set.for_staff} was already reversed by #{taken_back.pk}."
        ]
        with pytest.raises(ValidationError) as refused:
            preview(replace(taking_back(file.change_set), undoes=None))
        assert refused.value.messages[0] == "Nothing from this file can be reversed."

    def test_a_game_that_may_be_the_same_as_a_later_one_stays_until_somebody_has_said(
        self, arena, officer, worker
    ):
        file = applied(officer, worker, "import-games", games_csv(game_row(1)), "games.csv")
        first = Game.objects.get()
        later = game(*arena, started_at=first.started_at, ended_at=first.ended_at)
        assert later.waits
        told = "another game may be the same one, and that has to be decided first"
        with pytest.raises(ValidationError) as refused:
            preview(taking_back(file.change_set))
        assert refused.value.messages == ["Nothing from this file can be reversed.", f"{first}: {told}."]
        decided("same-game", game=[str(later.pk)])
        told = "another report of it is void, since this one counts"
        with pytest.raises(ValidationError) as refused:
            preview(taking_back(file.change_set))
        assert refused.value.messages == ["Nothing from this file can be reversed.", f"{first}: {told}."]
        decided("ask-about-games", game=[str(later.pk)])
        decided("other-game", game=[str(later.pk)])
        undo(file.change_set)
        assert list(Game.objects.all()) == [later]

    def test_what_the_file_finished_stays_and_is_said(self, arena, officer, worker):
        under_way = games_csv(game_row(1, result="", ended_at="", termination=""))
        applied(officer, worker, "import-games", under_way, "first.csv")
        file = applied(officer, worker, "import-games", FOUR, "games.csv")
        assert "Games stored earlier that this file finished or rated stay as they are now: 1." in warnings(
            file.change_set
        )
        undo(file.change_set)
        assert Game.objects.get().result == "1-0"

    def test_its_event_goes_unless_other_games_are_of_it(self, arena, officer, worker):
        rows = [
            game_row(number, event_id=event, event=event)
            for number, event in enumerate(("Spring Cup", "Summer Cup"), 1)
        ]
        one = applied(officer, worker, "import-games", games_csv(*rows), "cups.csv")
        game(*arena, event=ArenaEvent.objects.get(name="Summer Cup"), minute=90)
        _undone, effect = decide_at_once(taking_back(one.change_set))
        worker()
        assert "Events deleted" in [fact.label for fact in effect.facts]
        assert [event.name for event in ArenaEvent.objects.all()] == ["Summer Cup"]

    def test_members_whom_it_registered_go_with_their_games_unless_they_have_something_else(
        self, arena, officer, worker
    ):
        casual = games_csv(
            game_row(1, "carl", "anna", rated="false"),
            game_row(2, "dora", "anna", rated="false"),
            game_row(3, "emil", "anna"),
            game_row(4, "fred", "anna"),
        )
        file = applied(officer, worker, "import-games", casual, "games.csv", create_members="on")
        dora = Member.objects.get(username="dora")
        dora.title = "FM"
        dora.save()
        fred = Member.objects.get(username="fred")
        other = game(fred, arena[0], minute=500)
        assert warnings(file.change_set)[1:] == [
            f"{dora} is kept: changed since.",
            f"{fred} is kept: has games.",
        ]
        undo(file.change_set)
        assert list(Game.objects.all()) == [other]
        assert set(Member.objects.values_list("username", flat=True)) == {"anna", "bob", "dora", "fred"}
        assert replay(check=True).differences == 0

    def test_the_register_and_lines_that_are_gone_do_without_a_deleted_member(
        self, arena, officer, worker, client
    ):
        before = lines()
        # After five games emil is rated, and the sixth moves anna.
        rows = [game_row(number, "emil", ("anna", "bob")[number % 2]) for number in range(1, 7)]
        file = applied(officer, worker, "import-games", games_csv(*rows), "games.csv", create_members="on")
        emils, annas = (
            RatingChange.objects.filter(member__username=name, game__isnull=False).order_by("pk").last()
            for name in ("emil", "anna")
        )
        taken_back = undo(file.change_set)
        worker()
        assert lines() == before
        assert not Member.everybody.filter(username="emil").exists()
        for one in (file.change_set, taken_back):
            one.refresh_from_db()
            page = words(client.get(one.get_absolute_url()))
            assert "deleted member" in page
            assert "anna" in page
            file_of_moves = client.get(one.get_absolute_url(), {"format": "csv"}).getvalue().decode()
            assert file_of_moves.splitlines()[1].startswith("deleted member,blitz,")
            assert officer.get(f"/admin/office/changeset/{one.pk}/change/").status_code == 200
        assert client.get(emils.get_absolute_url()).status_code == 404
        gone = client.get(annas.get_absolute_url())
        assert "emil" not in words(gone)
        assert gone.status_code == 410

    def test_a_file_with_nothing_new_says_so(self, arena, officer, worker):
        under_way = games_csv(game_row(1, result="", ended_at="", termination=""))
        applied(officer, worker, "import-games", under_way, "first.csv")
        file = applied(officer, worker, "import-games", games_csv(game_row(1)), "second.csv")
        assert "This import can’t be reversed in one step. Correct what it changed." in words(
            officer.get(page_of(file))
        )

    def test_a_filter_by_a_number_that_is_none_finds_nothing(self, officer, arena):
        game(*arena)
        assert officer.get("/admin/ratings/game/?batch=x").context["cl"].result_count == 0


class TestMembers:
    FILE = f"{MEMBERS}carl,Carl,,,,,,2026-01-01,\ndora,Dora,,,,,,,\nanna,,,,,,,2025-01-01,2025-06-01\n"

    def test_those_who_have_nothing_else_go_with_their_spans(self, arena, officer, worker):
        file = applied(officer, worker, "import-members", self.FILE.encode(), "people.csv")
        page = words(officer.get(page_of(file)))
        assert "2 entries from this file are stored Carl Dora" in page
        carl = Member.objects.get(username="carl")
        game(carl, arena[0], minute=20)
        assert f"{carl} is kept: has games." in warnings(file.change_set)
        undo(file.change_set)
        assert set(Member.objects.values_list("username", flat=True)) == {"anna", "bob", "carl"}
        assert FullMembership.objects.filter(member=carl).count() == 1
        assert FullMembership.objects.filter(member=arena[0]).count() == 1

    def test_who_has_no_games_any_more_goes(self, arena, officer, worker):
        file = applied(officer, worker, "import-members", self.FILE.encode(), "people.csv")
        carl = Member.objects.get(username="carl")
        played = game(carl, arena[0], minute=20)
        decided("delete-games", game=[str(played.pk)])
        undo(file.change_set)
        assert set(Member.objects.values_list("username", flat=True)) == {"anna", "bob"}

    def test_the_admin_deletes_a_member_without_facts_and_nobody_else(
        self, arena, officer, worker, admin_client
    ):
        applied(officer, worker, "import-members", self.FILE.encode(), "people.csv")
        carl, dora = (Member.objects.get(username=name) for name in ("carl", "dora"))
        played, other = game(carl, arena[0], minute=20), game(dora, arena[0], minute=40, rated=False)
        decided("delete-games", game=[str(played.pk)])
        for who, stays in ((carl, False), (dora, True)):
            address = f"/admin/members/member/{who.pk}/delete/"
            page = admin_client.get(address)
            assert ("Cannot delete" in words(page)) is stays
            admin_client.post(address, {"post": "yes"})
            assert Member.everybody.filter(pk=who.pk).exists() is stays
        assert list(Game.objects.all()) == [other]
        assert replay(check=True).differences == 0

    def test_a_span_in_which_somebody_was_rated_stays(self, arena, officer, worker):
        file = applied(officer, worker, "import-members", self.FILE.encode(), "people.csv")
        early = at(-60 * 24 * 300)
        game(arena[0], arena[1], minute=20)
        FullMembership.objects.filter(member=arena[1]).update(full_from=early)
        played = game(arena[0], arena[1], minute=-60 * 24 * 299)
        (told,) = [text for text in warnings(file.change_set) if "anna is kept" in text]
        assert str(played) in told
        undo(file.change_set)
        assert FullMembership.objects.filter(member=arena[0]).count() == 2

    def test_who_may_not_delete_full_memberships_takes_none_back(self, arena, worker, officer, client):
        file = applied(officer, worker, "import-members", self.FILE.encode(), "people.csv")
        user = User.objects.create_user("clerk", is_staff=True)
        user.user_permissions.add(Permission.objects.get(codename="delete_member"))
        with pytest.raises(ValidationError, match="which you aren’t allowed to delete"):
            preview(replace(taking_back(file.change_set), by=user))

    def test_registrars_dont_delete_members(self, arena, worker, officer, client):
        file = applied(officer, worker, "import-members", self.FILE.encode(), "people.csv")
        user = User.objects.create_user("registrar", is_staff=True)
        user.groups.add(Group.objects.get(name="Registrars"))
        client.force_login(user)
        page = client.get(page_of(file))
        assert page.status_code == 200
        assert "Reverse …" not in page.text
        address = f"/admin/office/changeset/decide/take-back-members/?undoes={file.change_set.pk}"
        assert client.get(address).status_code == 403


class _TakenBack(OfAFile):
    """A file that was applied."""

    undoable = False
    of_file: str

    def asked(self):
        kind = kind_of(self.of_file)
        form = kind.bind(self.file())
        assert form.is_valid()
        # Without a change set of its own: the case counts those of its kind.
        _kind, parameters = kind.apply(Decision(form.cleaned_data, timezone.now())).undo
        return parameters

    def test_a_preview_shows_and_changes_nothing(self, officer):
        before = self.state()
        looked = look(officer, self.address(), self.parameters)
        assert looked.status_code == 200
        assert self.state() == before


class TestTakeBackGames(_TakenBack):
    kind, of_file = "take-back-games", "import-games"
    told_by_number = {"game": "games"}

    def file(self):
        return kept(games_csv(game_row(4), game_row(5, "bob", "anna")), "games.csv")

    def disturb(self):
        """One of the games is corrected."""
        played = Game.objects.filter(batch__isnull=False).first()
        played.plies = 40
        played.save()


class TestTakeBackMembers(_TakenBack):
    kind, of_file = "take-back-members", "import-members"
    is_public = False
    told_by_number = {"member": "members"}

    def file(self):
        return kept(f"{MEMBERS}carl,Carl,,,,,,,\ndora,Dora,,,,,,,\n".encode(), "people.csv")

    def disturb(self):
        carl = Member.objects.get(username="carl")
        carl.title = "FM"
        carl.save()
