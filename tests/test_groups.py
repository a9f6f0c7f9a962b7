"""Who may do what in the admin: each group of staff, model by model."""

import re
from itertools import product
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import Group, Permission, User
from django.db import connection
from django.test import Client

from members.models import AccountClosure, FormerName, FullMembership, Member
from ratings.desk.models import Case, CaseEntry, LikelyDuplicate, MemberNote
from ratings.fide.models import Announcement, FideList, FidePlayer, FideRating
from ratings.lab.models import Finding, Sweep
from ratings.office.models import AboutText, AuditFinding, ChangeSet, FileImport, Job, Journal, MovedRating
from ratings.office.roles import grant
from ratings.organizers.models import Scope, Submission
from ratings.otb.models import (
    AssociationMember,
    FeePayment,
    OtbList,
    RatingAdministrator,
    RatingFee,
    Tournament,
)
from ratings.rbb.models import (
    Game,
    ImportBatch,
    LateLine,
    OpeningRating,
    OtbAdjustment,
    Rating,
    RatingChange,
    RatingList,
    RecalculatedLine,
    Recalculation,
    RuleEdition,
    TimeControl,
)
from tests.arena import rated
from tests.backoffice import admin_page, furnish, game_form
from tests.decisions import confirmed_on, decide
from tests.rooms import GROUPS, OFFICERS, OWN_APPS

pytestmark = [pytest.mark.django_db, pytest.mark.long]

INPUTS = {Game, OpeningRating, OtbAdjustment}
PEOPLE = {Member, FullMembership}
DECIDED = {ChangeSet, MovedRating, Job}
REPLAYED = {Recalculation, RecalculatedLine, LateLine}
OF_THE_OFFICE = {
    model
    for app in OWN_APPS
    for model in app.get_models()
    if model._meta.default_permissions and not model.__name__.startswith("Historical")
}
REGISTERED = sorted(admin.site._registry, key=lambda model: model._meta.label)
ALL, SEE = frozenset({"add", "change", "delete", "view"}), frozenset({"view"})

RIGHTS = {
    "Rating officers": {
        **{model: ALL if model in INPUTS | PEOPLE else SEE for model in OF_THE_OFFICE},
        Member: ALL | {"update", "merge", "erase", "export", "invite"},
        FormerName: SEE | {"delete"},
        FullMembership: ALL | {"correct"},
        AccountClosure: SEE | {"change", "decide"},
        RatingList: SEE | {"publish"},
        RuleEdition: SEE | {"add", "delete"},
        AboutText: ALL,
        AuditFinding: SEE | {"accept", "run"},
        Job: SEE | {"steer"},
        FideList: SEE | {"import", "announce"},
        Tournament: ALL | {"receive", "judge"},
        OtbList: SEE | {"close"},
        AssociationMember: SEE | {"add", "change"},
        RatingFee: ALL,
        RatingAdministrator: ALL,
        FeePayment: SEE | {"add", "delete"},
        **OFFICERS,
    },
    "Fair play": {
        **dict.fromkeys(
            PEOPLE | INPUTS | DECIDED | {ImportBatch, Rating, RatingChange, TimeControl, *REPLAYED}, SEE
        ),
        Game: SEE | {"change"},
        AccountClosure: SEE | {"change", "decide"},
        **dict.fromkeys((FormerName, CaseEntry, Journal, LikelyDuplicate, Finding), SEE),
        Sweep: SEE | {"add"},
        Case: SEE | {"add", "handle"},
        MemberNote: SEE | {"add"},
    },
    "Registrars": {
        **dict.fromkeys(PEOPLE, frozenset({"add", "change", "view"})),
        Member: frozenset({"add", "change", "view", "invite"}),
        FormerName: SEE,
        FileImport: SEE,
    },
    "Auditors": dict.fromkeys(OF_THE_OFFICE | set(REGISTERED), SEE),
}
RIGHTS["Over the board"] = {
    **{
        model: rights for model, rights in RIGHTS["Rating officers"].items() if model._meta.app_label == "otb"
    },
    **dict.fromkeys(PEOPLE | DECIDED | {Announcement, FideList, FidePlayer, FideRating, CaseEntry}, SEE),
    Case: SEE | {"add", "handle"},
    Scope: SEE | {"add", "change"},
    Submission: SEE | {"change"},
}
RIGHTS |= GROUPS


def a_row_of_everything():
    """A row of every model; the cookies of a clerk of each group; all that is stored then."""
    furnish()
    User.objects.create_user("somebody")
    cookies = {}
    for group in RIGHTS:
        user = User.objects.create_user(f"clerk of {group}", is_staff=True)
        user.groups.add(Group.objects.get(name=group))
        client = Client()
        client.force_login(user)
        cookies[group] = client.cookies
    return cookies, stored()


@pytest.fixture(scope="class")
def rows(standing):
    return standing(a_row_of_everything)


@pytest.fixture
def bare_lists(monkeypatch):
    """A list of the admin that opens, without its page: it is the one that another test opens."""
    monkeypatch.setattr("django.template.response.TemplateResponse.rendered_content", "")


@pytest.fixture
def before(rows):
    """Every row as it stands before the test."""
    return rows[1]


@pytest.fixture(params=RIGHTS)
def clerk(request, client, db, rows):
    """A client logged in as a member of a group; its rights."""
    client.cookies = rows[0][request.param]
    client.rights = RIGHTS[request.param]
    return client


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
    """A new model needs rights in ratings/office/roles.py."""
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
    group.permissions.add(Permission.objects.get(codename="view_user"))
    group.permissions.remove(Permission.objects.get(codename="delete_game"))
    count = Permission.objects.count()
    grant("ratings").code(apps, SimpleNamespace(connection=connection))
    assert Group.objects.count() == len(RIGHTS)
    assert Permission.objects.count() == count
    assert list(group.user_set.all()) == [officer]
    assert group.permissions.filter(codename__in=["view_user", "delete_game"]).count() == 2


@pytest.mark.parametrize("model", REGISTERED, ids=lambda model: model._meta.label)
@pytest.mark.rendered
@pytest.mark.usefixtures("bare_refusals")
def test_every_page_of_every_model_opens_for_who_may_and_for_nobody_else(clerk, before, model):
    rights = clerk.rights.get(model, frozenset())
    model_admin = admin.site._registry[model]
    superuser = SimpleNamespace(user=User(is_superuser=True, is_active=True))
    may = {
        right: right in rights and getattr(model_admin, f"has_{right}_permission")(superuser)
        for right in ("add", "change", "delete")
    }
    may["view"] = bool(rights)

    def answers(page, right, *, posted=None):
        response = clerk.get(page) if posted is None else clerk.post(page, posted)
        response.getvalue()  # A file that nobody reads keeps its place.
        assert response.status_code == (200 if may[right] else 403), page

    answers(admin_page(model), "view")
    answers(admin_page(model, "export"), "view")
    answers(admin_page(model, "add"), "add")
    answers(admin_page(model, "add"), "add", posted={})
    # Who opens a file goes by what it brings: tests/test_permission_matrix.py.
    if model is not FileImport and (row := model.objects.first()):
        answers(admin_page(row), "view")
        # An empty form is refused, where one may be sent at all.
        answers(admin_page(row), "change", posted={"full_memberships-TOTAL_FORMS": "x"})
        answers(admin_page(row, "delete"), "delete")
        answers(admin_page(row, "history"), "view")
    if hasattr(model, "history"):
        answers(admin_page(model, "history"), "view")
    assert stored() == before


REFUSED = {
    (group, model): [
        action
        for action, right in (("delete_selected", "delete"), ("void", "change"), ("reinstate", "change"))
        if right not in rights.get(model, ())
    ]
    for group, rights in RIGHTS.items()
    for model in REGISTERED
}


@pytest.mark.parametrize(
    ("clerk", "model", "actions"),
    [
        pytest.param(group, model, actions, id=f"{group}-{model._meta.label}")
        for (group, model), actions in REFUSED.items()
        if actions
    ],
    indirect=["clerk"],
)
@pytest.mark.rendered
@pytest.mark.usefixtures("bare_refusals", "bare_lists")
def test_nobody_runs_an_action_that_is_not_his(clerk, before, model, actions):
    rows = {"_selected_action": list(model.objects.values_list("pk", flat=True))}
    for action in actions:
        for chosen, index in product((rows, {}), ({"index": "0"}, {})):
            posted = {"action": action, "post": "yes", "select_across": "1", "reason": "x"} | chosen | index
            assert clerk.post(admin_page(model), posted).status_code in (200, 302, 403)
        assert stored() == before


@pytest.mark.rendered
def test_who_may_neither_add_nor_change_finds_no_button_for_it(clerk):
    game = Game.objects.first()
    for page in (admin_page(game), admin_page(Game)):
        content = clerk.get(page).content.decode()
        changes = "change" in clerk.rights.get(Game, ())
        assert ('name="_save"' in content or 'value="void"' in content) == changes
        assert ("/admin/ratings/game/void/?" in content or 'value="void"' in content) == changes


@pytest.mark.rendered
def test_the_link_into_the_admin_never_leads_to_a_refusal(clerk):
    game, line = Game.objects.first(), RatingChange.objects.first()
    lists = ("/", "/ratings/blitz/", "/members/", "/games/", "/changes/")
    for page in (*lists, *(one.get_absolute_url() for one in (game, line, line.member))):
        (address,) = re.findall(r'href="(/admin/[^"]*)">Admin<', clerk.get(page).content.decode())
        assert clerk.get(address).status_code == 200, page


def test_an_officer_corrects_a_game_and_an_auditor_and_a_registrar_do_not(clerk):
    game = Game.objects.first()
    changed = clerk.post(admin_page(game), game_form(game.white, game.black, result="0-1"))
    entered = clerk.post(admin_page(Game, "add"), game_form(rated(1600), rated(1600)))
    if "change" in clerk.rights.get(Game, ()):
        enters = "add" in clerk.rights[Game]
        assert confirmed_on(clerk, changed).status_code == 302
        assert entered.status_code == (302 if enters else 403)
        assert decide(clerk, admin_page(Game, "void"), {"game": game.pk}).status_code == 302
        game.refresh_from_db()
        assert (game.result, game.void_reason, Game.objects.count()) == ("0-1", "error", 1 + enters)
    else:
        voided = clerk.post(admin_page(Game, "void"), {"game": game.pk, "shown": "x"})
        game.refresh_from_db()
        assert (changed.status_code, entered.status_code, voided.status_code) == (403, 403, 403)
        assert (game.result, game.void_reason, Game.objects.count()) == ("1-0", "", 1)


def test_a_registrar_ends_a_membership_and_deletes_nothing_and_gives_no_login(clerk):
    who, login = rated(1600), User.objects.get(username="somebody")
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
        assert str(who.full_memberships.get()) == "1 Mar 2026 – 1 Jun 2026"


def test_nobody_of_the_groups_finds_logins_by_typing_but_an_auditor(clerk):
    address = "/admin/autocomplete/?app_label=members&model_name=member&field_name=user&term=some"
    response = clerk.get(address)
    assert response.status_code == (200 if User in clerk.rights else 403)
