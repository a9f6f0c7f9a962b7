"""Every address of the site × every role: who opens it, and who is refused.

A new address fails here until somebody says whom it is for: in ``PAGES``, or in ``PAGES`` of its room. The
pages that the admin has for each model, group by group, are those of ``tests/test_groups.py``.
"""

from __future__ import annotations

import re
from uuid import uuid4

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group, User
from django.contrib.contenttypes.models import ContentType
from django.urls import URLPattern, get_resolver, reverse

from members.models import Member
from ratings.desk.models import Case
from ratings.office.decision_types import kinds
from ratings.office.importing import ImportKind
from ratings.office.models import ChangeSet, FileImport, Job
from ratings.organizers.models import Scope, Submission
from ratings.otb.models import Tournament, TournamentReport
from ratings.rbb.models import ArenaEvent, Game, RatingChange, RatingList, RatingListEntry
from tests.arena import at
from tests.backoffice import furnish
from tests.rooms import PAGES as OF_ROOMS
from tests.test_groups import RIGHTS

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.long,
    pytest.mark.rendered,
    pytest.mark.usefixtures("bare_refusals"),
]

_JUDGED = "judge accept withdraw refuse take-back appeal decide-appeal announced not-announced"

PAGES = {
    "everybody": """
        login logout admin:login admin:logout admin_password_reset
        password_reset password_reset_done password_reset_confirm password_reset_complete
        choose_language set_language
        otp_webauthn:credential-authentication-begin otp_webauthn:credential-authentication-complete
        otp_webauthn:js-i18n-catalog
        arena_login arena_callback arena_account
        members:accept confirm_address ratings:members ratings:search ratings:suggestions
        calculators:index calculators:fide calculators:what_if calculators:needed calculators:first_rating
        calculators:tournament arena:calculate_fide arena:calculate_what_if arena:calculate_needed
        arena:calculate_first_rating arena:calculate_tournament
        fide:players fide:lists
        otb:player otb:tournaments otb:tournament otb:round otb:crosstable otb:trf otb:tournament_player
        otb:lists otb:list otb:active otb:delisted otb:titled otb:top otb:report otb:editions otb:file
        otb:combined
        arena:tournaments arena:tournament arena:tournament_players arena:tournament_games arena:board_lists
        arena:board_list_players arena:live_distribution arena:list_distribution arena:month arena:records
        arena:leaders arena:member_titles arena:tournament_crosstable arena:board_list_top arena:fide_players
        arena:fide_lists arena:editions
        office:register office:change_set
        security_txt
        ratings:robots ratings:sitemap ratings:sitemap_section
        favicon
        ratings:home ratings:live ratings:lists ratings:latest_list ratings:list ratings:list_report
        ratings:distribution ratings:list_distribution ratings:compare_lists ratings:month ratings:records
        ratings:leaders ratings:leaders_in ratings:leaders_of ratings:leading_federations
        ratings:top_list ratings:federations ratings:list_line ratings:requested_list ratings:how
        ratings:how_book ratings:about
        ratings:profile ratings:profile_games ratings:profile_statistics ratings:profile_titles
        ratings:profile_otb ratings:compare ratings:history ratings:against ratings:head_to_head ratings:coach
        ratings:badge ratings:embedded_card ratings:events ratings:event
        ratings:games ratings:game ratings:changes ratings:change
        ^admin/ratings/job/ ^admin/fide/associationmember/ ^admin/fide/otblist/ ^admin/fide/otblistentry/
        ^admin/fide/tournament/ ^admin/fide/tournamentresult/
    """,
    "logins": """
        second_step account change_address change_password members:privacy confirm_password add_app
        add_passkey recovery_codes remove_factor end_sessions link_arena unlink_arena
        otp_webauthn:credential-registration-begin otp_webauthn:credential-registration-complete
        ratings:mine ratings:my_data ratings:close_own_account
    """,
    # Of a login without a member it says why it is refused (RBB 1.4).
    "full members": "ratings:request_list",
    # Pages of an app list what somebody may look at.
    "staff": """
        admin:index admin:password_change admin:password_change_done admin:jsi18n admin:view_on_site
        admin:app_list admin:find admin:office_changeset_put_off admin/(?P<url>.*)$
    """,
    "superusers": "admin:auth_user_sessions admin:auth_user_password_change",
    "auth.view_user": "admin:autocomplete",
    "members.view_member": "admin:members_member_fide admin:fide_fidelist_worklist",
    "members.decide_accountclosure": "admin:members_member_close admin:members_member_reopen",
    "members.merge_member": "admin:members_member_merge",
    "office.view_fileimport": "admin:office_fileimport_refused",
    "members.erase_member": "admin:members_member_erase",
    "members.invite_member": "admin:members_member_invite",
    "members.export_member": "admin:members_member_stored",
    "members.correct_fullmembership": "admin:members_member_membership",
    "ratings.change_game": " ".join(
        f"admin:ratings_game_{decision}"
        for decision in ("void", "reinstate", "correct", "rate", "end", "same", "other")
    ),
    "ratings.add_game": "admin:ratings_game_enter",
    "ratings.delete_game": "admin:ratings_game_remove",
    "ratings.add_openingrating": "admin:ratings_openingrating_enter",
    "ratings.change_openingrating": "admin:ratings_openingrating_correct admin:fide_fidelist_watch",
    "ratings.delete_openingrating": "admin:ratings_openingrating_remove",
    "ratings.add_otbadjustment": "admin:ratings_otbadjustment_enter",
    "ratings.change_otbadjustment": "admin:ratings_otbadjustment_correct",
    "ratings.delete_otbadjustment": "admin:ratings_otbadjustment_remove",
    "ratings.view_ratinglist": "admin:ratings_ratinglist_files admin:ratings_ratinglist_month",
    "ratings.publish_ratinglist": "admin:ratings_ratinglist_publish admin:ratings_ratinglist_revise",
    "ratings.add_ruleedition": "admin:ratings_ruleedition_put",
    "ratings.delete_ruleedition": "admin:ratings_ruleedition_withdraw",
    "office.run_auditfinding": "admin:office_auditfinding_run",
    "office.accept_auditfinding": "admin:office_auditfinding_accept admin:office_auditfinding_reopen",
    "fide.import_fidelist": "admin:fide_fidelist_import",
    "fide.announce_fidelist": "admin:fide_fidelist_announce admin:fide_fidelist_undo",
    "fide.view_fidelist": "admin:fide_fidelist_waiting",
    "otb.close_otblist": "admin:otb_otblist_close",
    "otb.view_tournament": "admin:otb_tournament_report",
    "otb.receive_tournament": """
        admin:otb_tournament_receive admin:otb_tournament_store admin:otb_tournament_replace
    """,
    "otb.judge_tournament": " ".join(f"admin:otb_tournament_{page}" for page in _JUDGED.split()),
}
WHOM = {name: whom for pages in (PAGES, *OF_ROOMS) for whom, names in pages.items() for name in names.split()}
DECIDE, BRING = "admin:office_changeset_decide", "admin:office_fileimport_bring"
"""The page of each kind of decision, and of each kind of file, asks for the right of the kind."""

OF_MODELS = {
    f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}": (model, page)
    for model in admin.site._registry
    for page in ("changelist", "add", "change", "delete", "history", "changes", "export")
}
ROLES = ["stranger", "member", "newcomer", *RIGHTS, "superuser"]


def addresses(resolver=None, before="", spaces=""):
    """Name and route of every address. What has no name goes by its route."""
    for one in (resolver or get_resolver()).url_patterns:
        route = before + str(one.pattern)
        if isinstance(one, URLPattern):
            yield (spaces + one.name if one.name else route), route
        else:
            yield from addresses(one, route, spaces + (f"{one.namespace}:" if one.namespace else ""))


ADDRESSES = [
    (next((name for name in WHOM if name.startswith("^") and key.startswith(name)), key), route)
    for key, route in addresses()
]


NAMES = {name for name, _route in ADDRESSES}


def is_of_a_model(name, route):
    """A page that Django's admin has for each model, or its redirect from a key alone."""
    return name in OF_MODELS or bool(re.fullmatch(r"admin/\w+/\w+/<path:object_id>/", route))


def keys():
    """What addresses ask for: of some page a row of its model, of all others something that can be read."""
    rows = {
        "otb:tournament": Tournament.objects.exclude(report=None),
        "admin:otb_tournament": Tournament.objects.filter(report=None),
        "ratings:change": RatingChange.objects.all(),
        "ratings:game": Game.objects.all(),
        "ratings:event": ArenaEvent.objects.all(),
        "ratings:list_line": RatingListEntry.objects.all(),
        "ratings:requested_list": RatingList.objects.all(),
        "desk:open": Game.objects.all(),
        "admin:desk_case": Case.objects.all(),
        "office:change_set": ChangeSet.objects.all(),
        "admin:office_fileimport": FileImport.objects.all(),
        "ratings:": Member.objects.all(),
        "admin:auth_user": User.objects.all(),
        "admin:organizers_scope": Scope.objects.all(),
        "admin:organizers_submission": Submission.objects.all(),
    }
    found = {name: row.pk for name, all_of_it in rows.items() if (row := all_of_it.first())}
    constants = {
        "app_label": "members",
        "about": "game",
        "category": "blitz",
        "content_type_id": ContentType.objects.get_for_model(Member).pk,
        "ending": "csv",
        "piece": "0",
        "group": "women",
        "list_day": "2026-03-01",
        "month": "2026-03",
        "operation": "any_game",
        "report": TournamentReport.objects.first().pk,
        "rest": "",
        "token": "x-y",
        "uidb64": "MQ",
        "url": "nowhere",
        "username": "anna",
    }
    return found, constants


def address_of(name, route, known):
    """An address that a pattern takes."""
    found, constants = known
    key = next((pk for start, pk in found.items() if name.startswith(start)), 1)
    route = re.sub(r"\(\?P<(\w+)>[^)]*\)", r"<\1>", route).replace("^", "").replace("$", "")
    filled = re.sub(r"<(?:\w+:)?(\w+)>", lambda match: str(constants.get(match[1], key)), route)
    more = "?app_label=members&model_name=member&field_name=user&term=x" if "autocomplete" in name else ""
    return f"/{filled}{more}"


def is_refused(answer):
    return answer.status_code in (401, 403) or answer.get("Location", "").startswith(
        ("/login/?", "/admin/login/?")
    )


@pytest.fixture(scope="class")
def rows(standing):
    standing(furnish)


@pytest.fixture(params=ROLES)
def role(request, client, rows, django_user_model):
    """A client in a role, with its name and its login."""
    client.role, client.user = request.param, None
    if request.param != "stranger":
        client.user = django_user_model.objects.create_user(
            "somebody",
            is_staff=request.param != "member",
            is_superuser=request.param == "superuser",
        )
        client.user.groups.set(Group.objects.filter(name=request.param))
        client.force_login(client.user)
    return client


def may(role, whom):
    if whom == "everybody":
        return True
    if role.user is None or whom in ("servers", "full members"):
        return False
    if "." in whom:
        return role.user.has_perm(whom) and role.user.is_staff
    return {
        "logins": True,
        "staff": role.user.is_staff,
        "superusers": role.user.is_superuser,
    }[whom]


def check(role, address, opens):
    """A page opens for who may, and is refused to all others, however they ask for it."""
    answer = role.get(address)
    answer.getvalue()  # A file that nobody reads keeps its place.
    if opens:
        return [] if not is_refused(answer) and answer.status_code < 500 else [(address, answer.status_code)]
    # What takes only what is posted says so before it asks who it is.
    faults = [] if is_refused(answer) or answer.status_code == 405 else [(address, answer.status_code)]
    posted = role.post(address)
    return faults + ([] if is_refused(posted) or posted.status_code == 405 else [(address, "POST")])


def test_every_address_says_whom_it_is_for():
    names = {name for name, route in ADDRESSES if not is_of_a_model(name, route)}
    assert names == WHOM.keys() | {DECIDE, BRING}


def test_who_comes_by_get_to_an_address_for_forms_is_led_to_a_page(client, rows):
    client.force_login(User.objects.create_superuser("somebody"))
    known = keys()
    # The API answers in a problem, and scripts ask for passkeys.
    pages = [
        address_of(name, route, known)
        for name, route in ADDRESSES
        if not is_of_a_model(name, route) and not name.startswith(("arena:", "oauth/", "otp_webauthn:"))
    ]
    assert [page for page in pages if client.get(page).status_code == 405] == []


def test_each_page_opens_for_these_roles_and_no_others(role):
    known, faults = keys(), []
    for name, route in ADDRESSES:
        if name in WHOM:
            faults += check(role, address_of(name, route, known), may(role, WHOM[name]))
    assert faults == []


def test_each_decision_asks_for_the_right_of_its_kind(role):
    faults = []
    for kind in kinds():
        faults += check(role, f"/admin/office/changeset/decide/{kind.name}/", may(role, kind.permission))
    assert faults == []


def test_each_kind_of_file_asks_for_the_right_of_its_kind_and_to_look_at_files(role):
    faults = []
    for kind in kinds():
        if isinstance(kind, ImportKind):
            opens = may(role, kind.permission) and may(role, "office.view_fileimport")
            faults += check(role, f"/admin/office/fileimport/bring/{kind.name}/", opens)
    assert faults == []


@pytest.mark.parametrize("role", ["stranger", "member", "newcomer"], indirect=True)
def test_no_page_of_a_model_opens_for_who_has_no_role(role):
    faults = []
    for name, (model, page) in OF_MODELS.items():
        asks_for_a_row = page in ("change", "delete", "history")
        row = model.objects.first() if asks_for_a_row else None
        if name in NAMES and bool(row) == asks_for_a_row:
            faults += check(role, reverse(name, args=[row.pk] if row else None), False)
    assert faults == []


def a_row_of_each_kind():
    """Return by kind of decision the addresses of a change set, of its job, and of a file if it takes one."""
    furnish()
    pages = {}
    for kind in kinds():
        job = Job.objects.create(title=kind.name, task=uuid4(), asked_at=at(0), state=Job.State.DONE)
        change_set = ChangeSet.objects.create(
            parameters={
                name: ["2026-03" if name == "period" else "2026-03-01"] for name in kind.bind({}).fields
            },
            kind=kind.name,
            state=ChangeSet.State.APPLIED,
            proposed_at=at(0),
            applied_at=at(1),
            job=job,
        )
        pages[kind.name] = [f"/admin/office/{one._meta.model_name}/{one.pk}/" for one in (change_set, job)]
        if isinstance(kind, ImportKind):
            brought = FileImport.objects.create(
                kind=kind.name, source="x.csv", brought_at=at(0), refusals="0" * 32, parameters={"upload": []}
            )
            pages[kind.name].append(f"/admin/office/fileimport/{brought.pk}/")
    return pages


@pytest.fixture(scope="class")
def pages_of_kinds(standing):
    return standing(a_row_of_each_kind)


def may_look(role, kind):
    """Whoever may decide it, or look at the model that the right to decide it is about."""
    app, _dot, right = kind.permission.partition(".")
    return may(role, kind.permission) or may(role, f"{app}.view_{right.rpartition('_')[2]}")


class TestRowsOfEachKind:
    """A right to look at change sets, jobs or files is no right to look at those of every kind."""

    @pytest.fixture
    def rows(self, pages_of_kinds):
        self.pages = pages_of_kinds

    def test_a_page_opens_for_who_may_look_at_what_it_is_about(self, role):
        faults = []
        for kind in kinds():
            looks = may_look(role, kind)
            is_seen = looks or (kind.is_public and not kind.unlisted)
            change_set, job, *files = self.pages[kind.name]
            for pages, opens in (
                ([change_set + "change/"], is_seen and may(role, "office.view_changeset")),
                ([job + "change/"], is_seen and may(role, "office.view_job")),
                (
                    # Refused rows that were never kept are a 404 for who may know.
                    [file + page for file in files for page in ("change/", "history/", "refused/")],
                    looks and may(role, "office.view_fileimport"),
                ),
            ):
                for page in pages:
                    faults += check(role, page, opens)
        assert faults == []

    def test_a_list_names_no_file_and_no_decision_whose_page_is_refused(self, role):
        for name, right in (("fileimport", "office.view_fileimport"), ("changeset", "office.view_changeset")):
            if not may(role, right):
                continue
            listed = role.get(f"/admin/office/{name}/?all=").text
            for kind in kinds():
                of_kind = [page for page in self.pages[kind.name] if f"/{name}/" in page]
                hidden = [page for page in of_kind if is_refused(role.get(page + "change/"))]
                assert [page for page in hidden if page in listed] == []


@pytest.mark.parametrize(
    ("group", "kind", "opens"),
    [
        ("Registrars", "import-members", True),
        ("Registrars", "import-games", False),
        ("Registrars", "import-openings", False),
        ("Auditors", "import-games", True),
        ("Rating officers", "import-games", True),
    ],
)
def test_a_file_of_games_and_its_refused_rows_are_not_for_registrars(client, group, kind, opens):
    clerk = User.objects.create_user("clerk", is_staff=True)
    clerk.groups.set(Group.objects.filter(name=group))
    client.force_login(clerk)
    brought = FileImport.objects.create(
        kind=kind, source="x.csv", brought_at=at(0), refusals="0" * 32, parameters={"upload": []}
    )
    page = f"/admin/office/fileimport/{brought.pk}/"
    statuses = [client.get(page + name).status_code for name in ("change/", "refused/", "history/")]
    assert statuses == ([200, 404, 200] if opens else [403, 403, 403])
    assert ("x.csv" in client.get("/admin/office/fileimport/").text) == opens


def test_why_an_account_was_closed_is_not_for_who_rates_tournaments(client):
    clerk = User.objects.create_user("clerk", is_staff=True)
    clerk.groups.set(Group.objects.filter(name="Over the board"))
    client.force_login(clerk)
    made = ChangeSet.objects.create(
        kind="close-account", state="applied", proposed_at=at(0), applied_at=at(1)
    )
    assert client.get(f"/admin/office/changeset/{made.pk}/change/").status_code == 403
