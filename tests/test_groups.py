"""Who may do what in the admin: rating officers, registrars and auditors."""

import re
from importlib import import_module
from types import SimpleNamespace

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group, Permission, User
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from members.models import FullMembership, Member
from ratings.fide.models import FideList
from ratings.models import Game, OpeningRating, OtbAdjustment, RatingChange, RatingList
from ratings.office.models import AuditFinding
from ratings.otb.models import (
    AssociationMember,
    FeePayment,
    OtbList,
    RatingAdministrator,
    RatingFee,
    Tournament,
)
from tests.arena import rated
from tests.backoffice import admin_page, furnish, game_form
from tests.decisions import confirmed_on, decide
from tests.rooms import OFFICERS, OWN_APPS

pytestmark = [pytest.mark.django_db, pytest.mark.long]

INPUTS = {Game, OpeningRating, OtbAdjustment}
PEOPLE = {Member, FullMembership}
OF_THE_OFFICE = {
    model for app in OWN_APPS for model in app.get_models() if not model.__name__.startswith("Historical")
}
REGISTERED = sorted(admin.site._registry, key=lambda model: model._meta.label)
ALL, SEE = frozenset({"add", "change", "delete", "view"}), frozenset({"view"})

RIGHTS = {
    "Rating officers": {
        **{model: ALL if model in INPUTS | PEOPLE else SEE for model in OF_THE_OFFICE},
        Member: ALL | {"update"},
        FullMembership: ALL | {"correct"},
        RatingList: SEE | {"publish"},
        AuditFinding: SEE | {"accept", "run"},
        FideList: SEE | {"import", "announce"},
        Tournament: ALL | {"receive", "judge"},
        OtbList: SEE | {"close"},
        AssociationMember: SEE | {"add", "change"},
        RatingFee: ALL,
        RatingAdministrator: ALL,
        FeePayment: SEE | {"add", "delete"},
        **OFFICERS,
    },
    "Registrars": dict.fromkeys(PEOPLE, frozenset({"add", "change", "view"})),
    "Auditors": dict.fromkeys(OF_THE_OFFICE | set(REGISTERED), SEE),
}


@pytest.fixture(params=RIGHTS)
def clerk(request, client, django_user_model):
    """A client logged in as a member of a group; its rights."""
    user = django_user_model.objects.create_user("clerk", is_staff=True)
    user.groups.add(Group.objects.get(name=request.param))
    client.force_login(user)
    client.rights = RIGHTS[request.param]
    return client


def a_row_of_everything():
    furnish()
    User.objects.create_user("somebody")


@pytest.fixture(scope="class")
def rows(standing):
    """A row of every model of the office, and of users and groups."""
    standing(a_row_of_everything)


def stored():
    """Every row of what the admin can change, as the database has it."""
    found = []
    with connection.cursor() as cursor:
        for model in [*REGISTERED, FullMembership]:
            options = model._meta
            cursor.execute(f'SELECT * FROM "{options.db_table}" ORDER BY "{options.pk.column}"')
            found.append(cursor.fetchall())
    return found


@pytest.mark.parametrize("group", RIGHTS)
def test_a_group_has_these_rights_and_no_others(group):
    """A new model needs a migration that says who may do what with it, as 0004_groups does."""
    held = Group.objects.get(name=group).permissions.values_list(
        "content_type__app_label", "content_type__model", "codename"
    )
    assert set(held) == {
        (model._meta.app_label, model._meta.model_name, f"{right}_{model._meta.model_name}")
        for model, rights in RIGHTS[group].items()
        for right in rights
    }


def test_the_groups_are_made_once_and_keep_their_members_and_what_else_they_may(django_user_model):
    officer = django_user_model.objects.create_user("officer")
    group = Group.objects.get(name="Rating officers")
    officer.groups.add(group)
    more = Permission.objects.get(codename="view_user")
    group.permissions.add(more)
    group.permissions.remove(Permission.objects.get(codename="delete_game"))
    migration = import_module("ratings.migrations.0004_groups")
    then = MigrationExecutor(connection).loader.project_state(("ratings", "0004_groups")).apps
    count = Permission.objects.count()
    migration.make_groups(then, SimpleNamespace(connection=connection))
    assert Group.objects.count() == 3
    assert Permission.objects.count() == count
    assert list(group.user_set.all()) == [officer]
    assert group.permissions.filter(codename__in=["view_user", "delete_game"]).count() == 2


@pytest.mark.parametrize("model", REGISTERED, ids=lambda model: model._meta.label)
@pytest.mark.rendered
def test_every_page_of_every_model_opens_for_who_may_and_for_nobody_else(clerk, rows, model):
    rights = clerk.rights.get(model, frozenset())
    model_admin = admin.site._registry[model]
    superuser = SimpleNamespace(user=User(is_superuser=True, is_active=True))
    may = {
        right: right in rights and getattr(model_admin, f"has_{right}_permission")(superuser)
        for right in ("add", "change", "delete")
    }
    may["view"] = bool(rights)
    before = stored()

    def answers(page, right, *, posted=None):
        response = clerk.get(page) if posted is None else clerk.post(page, posted)
        assert response.status_code == (200 if may[right] else 403), page

    answers(admin_page(model), "view")
    answers(admin_page(model, "add"), "add")
    answers(admin_page(model, "add"), "add", posted={})
    if row := model.objects.first():
        answers(admin_page(row), "view")
        # An empty form is refused, where one may be sent at all.
        answers(admin_page(row), "change", posted={"full_memberships-TOTAL_FORMS": "x"})
        answers(admin_page(row, "delete"), "delete")
        answers(admin_page(row, "history"), "view")
    if hasattr(model, "history"):
        answers(admin_page(model, "history"), "view")
    if model is Game:
        for page in ("void", "reinstate"):
            address = admin_page(Game, page)
            answers(f"{address}?game={row.pk}", "change")
            answers(address, "change", posted={"game": row.pk, "reason": ""})
    assert stored() == before


@pytest.mark.parametrize(
    ("clerk", "model", "action"),
    [
        pytest.param(group, model, action, id=f"{group}-{model._meta.label}-{action}")
        for group, rights in RIGHTS.items()
        for model in REGISTERED
        for action, right in (("delete_selected", "delete"), ("void", "change"), ("reinstate", "change"))
        if right not in rights.get(model, ())
    ],
    indirect=["clerk"],
)
@pytest.mark.rendered
def test_nobody_runs_an_action_that_is_not_his(clerk, rows, model, action):
    before = stored()
    for chosen in ({"_selected_action": list(model.objects.values_list("pk", flat=True))}, {}):
        posted = {"action": action, "post": "yes", "select_across": "1", "reason": "x", **chosen}
        for index in ({"index": "0"}, {}):
            assert clerk.post(admin_page(model), posted | index).status_code in (200, 302, 403)
    assert stored() == before


def test_who_may_neither_add_nor_change_finds_no_button_for_it(clerk, rows):
    game = Game.objects.first()
    for page in (admin_page(game), admin_page(Game)):
        content = clerk.get(page).content.decode()
        changes = "change" in clerk.rights.get(Game, ())
        assert ('name="_save"' in content or 'value="void"' in content) == changes
        assert ("/admin/ratings/game/void/?" in content or 'value="void"' in content) == changes


def test_the_link_into_the_admin_never_leads_to_a_refusal(clerk, rows):
    game, line = Game.objects.first(), RatingChange.objects.first()
    lists = ("/", "/ratings/blitz/", "/members/", "/games/", "/changes/")
    for page in (*lists, *(one.get_absolute_url() for one in (game, line, line.member))):
        (address,) = re.findall(r'href="(/admin/[^"]*)">Admin<', clerk.get(page).content.decode())
        assert clerk.get(address).status_code == 200, page


def test_an_officer_corrects_a_game_and_an_auditor_and_a_registrar_do_not(clerk, rows):
    game = Game.objects.first()
    changed = clerk.post(admin_page(game), game_form(game.white, game.black, result="0-1"))
    entered = clerk.post(admin_page(Game, "add"), game_form(rated(1600), rated(1600)))
    if "change" in clerk.rights.get(Game, ()):
        assert (confirmed_on(clerk, changed).status_code, entered.status_code) == (302, 302)
        assert decide(clerk, admin_page(Game, "void"), {"game": game.pk}).status_code == 302
        game.refresh_from_db()
        assert (game.result, game.void_reason, Game.objects.count()) == ("0-1", "error", 2)
    else:
        voided = clerk.post(admin_page(Game, "void"), {"game": game.pk, "shown": "x"})
        game.refresh_from_db()
        assert (changed.status_code, entered.status_code, voided.status_code) == (403, 403, 403)
        assert (game.result, game.void_reason, Game.objects.count()) == ("1-0", "", 1)


def test_a_registrar_ends_a_membership_and_deletes_nothing_and_gives_no_login(clerk):
    who, login = rated(1600), User.objects.create_user("somebody")
    span = who.full_memberships.get()
    posted = {
        "username": "berg",
        "name": "Berg",
        "fide_id": "",
        "federation": "",
        "sex": "",
        "birth_year": "",
        "title": "",
        "user": login.pk,
        "full_memberships-TOTAL_FORMS": "1",
        "full_memberships-INITIAL_FORMS": "1",
        "full_memberships-0-id": span.pk,
        "full_memberships-0-member": who.pk,
        "full_memberships-0-full_from_0": "2026-03-01",
        "full_memberships-0-full_from_1": "00:00:00",
        "full_memberships-0-full_until_0": "2026-06-01",
        "full_memberships-0-full_until_1": "00:00:00",
        "full_memberships-0-DELETE": "on",
    }
    response = clerk.post(admin_page(who), posted)
    who.refresh_from_db()
    rights = clerk.rights[FullMembership]
    assert response.status_code == (302 if "change" in rights else 403)
    assert (who.username == "berg") == ("change" in rights)
    assert who.user is None
    assert who.full_memberships.exists() == ("delete" not in rights)
    if rights == {"add", "change", "view"}:
        assert str(who.full_memberships.get()) == "2026-03-01 – 2026-06-01"


def test_nobody_of_the_groups_finds_logins_by_typing_but_an_auditor(clerk):
    User.objects.create_user("somebody")
    address = "/admin/autocomplete/?app_label=members&model_name=member&field_name=user&term=some"
    response = clerk.get(address)
    assert response.status_code == (200 if User in clerk.rights else 403)
