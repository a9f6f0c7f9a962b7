"""Make the database of version 0.4.1 that tests/test_upgrade.py upgrades, and ask 0.4.1 what it says.

The fixture is made once, by 0.4.1 itself. To make it again, clone this repository a second time, check out
version 0.4.1 there (the last commit whose pyproject.toml has that version), and in that checkout run

    python <this file> <where the fixture goes>

with the Python of an environment in which 0.4.1 runs (`make run` makes one). The database is a temporary
SQLite file. It has the demo arena of 0.4.1 with fewer games, and what staff did with it afterwards. Everybody
in it is invented.

The fixture is JSON, compressed with xz:

* `tables`: for each table its columns, those that are binary, and its rows. Moments are text in UTC, bytes
  are in base64.
* `migrations`: the last one of each app.
* `checksums`: of every published list, by table and key.
* `pages`: for a visitor, a member and a superuser, addresses with the status of the answer.
* `groups`, `users`: their permissions, as model and codename. The name of the app isn't kept, since models
  have moved to other apps.
* `log`: what staff did, with the model and key of what they did it to.
"""

# It imports modules that only 0.4.1 has, which ruff therefore would sort elsewhere.
# ruff: noqa: I001

import base64
import html
import json
import lzma
import os
import re
import sqlite3
import sys
import tempfile
import tomllib
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from urllib.parse import parse_qsl, urldefrag, urljoin, urlsplit

VERSION = "0.4.1"
LEFT_OUT = ("sqlite_", "django_migrations", "django_session")
"""Tables of the database itself, and logins that end with the process."""

ALIKE = 1
"""So many links to pages with the same name and the same questions in the address are followed."""

NOT_FOLLOWED = (
    "/static/", "/login", "/logout", "/language/set", "/admin/logout", "/admin/jsi18n", "/admin/axes/",
)  # fmt: skip
"""Also rows about logins: those that the questions themselves make."""

HREF = re.compile(r'href="([^"]*)"')


def set_up(database):
    """Django, with the checkout's settings over an empty database."""
    checkout = Path.cwd()
    version = tomllib.loads((checkout / "pyproject.toml").read_text())["project"]["version"]
    if version != VERSION:
        raise SystemExit(f"This is a checkout of {version}: run me in one of {VERSION}.")
    sys.path[0] = str(checkout)
    os.environ.update(
        DATABASE_URL=f"sqlite:///{database}",
        DJANGO_SETTINGS_MODULE="foa.settings",
        # The host of Django's test client.
        ALLOWED_HOSTS="testserver",
    )
    import django

    django.setup()


def fill():
    """The demo arena, and the work of staff that an upgrade must not lose."""
    from django.core.management import call_command

    from ratings import demo

    demo._GAMES_A_DAY = 8
    call_command("migrate", verbosity=0)
    call_command("load_demo")
    registrar = make_logins()
    correct_games(registrar)
    work_over_the_board(registrar)
    ask_for_jobs(registrar)


def make_logins():
    """A superuser, a member, and clerks with permissions of groups and of their own."""
    from django.contrib.auth.models import Group, Permission, User

    from members.models import Member
    from ratings.demo import GUEST

    registrar = User.objects.create_superuser("registrar")
    guest = Member.objects.get(username=GUEST)
    guest.user = User.objects.create_user("guest")
    guest.save()
    for name in ("Rating officers", "Registrars", "Auditors"):
        clerk = User.objects.create_user(name.lower().replace(" ", "-"), is_staff=True)
        clerk.groups.add(Group.objects.get(name=name))
    arbiters = Group.objects.create(name="Arbiters")
    arbiters.permissions.set(
        Permission.objects.filter(
            codename__in=(
                "view_tournament",
                "receive_tournament",
                "judge_tournament",
                "view_job",
                "view_game",
            )
        )
    )
    arbiter = User.objects.create_user("arbiter", is_staff=True)
    arbiter.groups.add(arbiters)
    arbiter.user_permissions.set(
        Permission.objects.filter(
            codename__in=("close_otblist", "add_associationmember", "add_openingrating")
        )
    )
    return registrar


def correct_games(registrar):
    """Games that are void, with reasons that members should not have read; one that counts again."""
    from django.contrib.admin.models import CHANGE, LogEntry
    from django.utils import timezone

    from members.models import Member
    from ratings.demo import GUEST
    from ratings.models import Game
    from ratings.rules.time_controls import Category
    from ratings.services.corrections import reinstate_games, void_games
    from ratings.services.publishing import publish
    from ratings.services.requests import request_list

    at = timezone.now()
    october = datetime(2026, 10, 5, tzinfo=UTC)
    rated = list(Game.objects.filter(rated=True, ended_at__gte=october).order_by("ended_at")[:40])
    void_games(games=rated[:10], by=registrar, reason="Black used an engine", at=at)
    void_games(games=rated[10:12], by=registrar, reason="ż" * 255, at=at)
    void_games(games=rated[12:13], by=registrar, reason="by mistake", at=at)
    reinstate_games(games=rated[12:13], by=registrar, reason="it was the other game")
    LogEntry.objects.log_actions(registrar.pk, rated[:10], CHANGE, change_message="Voided")
    game = rated[20]
    game.result = "0-1" if game.result == "1-0" else "1-0"
    game.save()
    for category in Category:
        publish(category=category, month=datetime(2026, 11, 1, tzinfo=UTC), at=timezone.now(), revise=True)
    guest = Member.objects.get(username=GUEST)
    request_list(category=Category.BLITZ, federation="", member=guest, at=timezone.now())
    request_list(
        category=Category.RAPID, federation="GER", member=guest, at=timezone.now() + timedelta(minutes=2)
    )


def work_over_the_board(registrar):
    """A refused tournament, an accepted finding, a replaced report and a member of an association."""
    from django.contrib.admin.models import ADDITION, CHANGE, LogEntry
    from django.utils import timezone

    from ratings.fide.models import AssociationMember, FidePlayer, OtbList, Tournament
    from ratings.fide.services.judging import accept, as_rated, refuse
    from ratings.fide.services.reports import Upload, receive

    at = timezone.now()
    waiting = Tournament.objects.get(name="Lighthouse Open")
    for found in as_rated(waiting, "default").findings:
        if found.finds.acceptable:
            accept(waiting, found.finds, "The calendar was late", registrar, at)
    refuse(Tournament.objects.get(name="Autumn Open"), "No arbiter was there.", date(2026, 11, 20))
    match = Tournament.objects.get(name="Two Lakes Match")
    content = bytes(match.report.content).replace(b"40/5400+30:1800+30", b"900")
    receive(
        Upload(content=content, source="again.trf", kind=None, registered_on=None),
        at=at, by=registrar, tournament=match,
    )  # fmt: skip
    helped = AssociationMember.objects.create(
        fide_id=FidePlayer.objects.first().pk, association="IBCA", since=date(2026, 9, 1)
    )
    for what, flag in (
        ([helped], ADDITION), (Tournament.objects.all(), CHANGE), (OtbList.objects.all(), ADDITION)
    ):  # fmt: skip
        LogEntry.objects.log_actions(registrar.pk, what, flag, change_message="Over the board")


def ask_for_jobs(registrar):
    """One that is done, one that failed, and three that no worker has taken yet."""
    from django.contrib.admin.models import CHANGE, LogEntry
    from django.core.management import call_command
    from django.utils import translation

    from ratings import tasks
    from ratings.fide import tasks as fide
    from ratings.models import Job
    from ratings.services.jobs import enqueue

    lists = {"by": registrar, "month": "2026-11", "categories": [1, 2, 3]}
    enqueue(tasks.publish_lists, title="Publish 2026-11", revise=False, **lists)
    enqueue(tasks.publish_lists, title="Publish 2027-11", revise=False, **{**lists, "month": "2027-11"})
    call_command("run_jobs", batch=True, startup_delay=False)
    LogEntry.objects.log_actions(registrar.pk, Job.objects.all(), CHANGE, change_message="Looked at")
    enqueue(tasks.publish_lists, title="Publish 2026-11 again", revise=True, **lists)
    with translation.override("pl"):
        enqueue(fide.announce_list, title="Announce 2026-10", by=registrar, month="2026-10")
    enqueue(
        fide.import_list, title="Import a list", by=registrar, upload="0" * 32, source="list.txt",
        month="2026-12", control="", force=False,
    )  # fmt: skip


def tables(database):
    """What the database has, as JSON."""
    with sqlite3.connect(database) as connection:
        names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
        return {
            name: table(connection, name) for (name,) in names.fetchall() if not name.startswith(LEFT_OUT)
        }


def table(connection, name):
    """A table of SQLite: what it stores as a number may be a boolean."""
    described = connection.execute(f'PRAGMA table_info("{name}")').fetchall()
    columns, types = [column[1] for column in described], [column[2].lower() for column in described]
    read = [
        {"bool": lambda value: None if value is None else bool(value), "blob": as_base64}.get(kind)
        for kind in types
    ]
    rows = connection.execute(f'SELECT * FROM "{name}" ORDER BY 1')
    return {
        "columns": columns,
        "binary": [column for column, kind in zip(columns, types, strict=True) if kind == "blob"],
        "rows": [
            [value if as_json is None else as_json(value) for value, as_json in zip(row, read, strict=True)]
            for row in rows
        ],
    }


def as_base64(value):
    return None if value is None else base64.b64encode(value).decode("ascii")


def last_migrations():
    from django.db import connection
    from django.db.migrations.loader import MigrationLoader

    return dict(sorted(MigrationLoader(connection).graph.leaf_nodes()))


def checksums():
    from ratings.fide.models import OtbList
    from ratings.league.models import CycleList
    from ratings.models import RatingList

    return {
        model._meta.db_table: dict(model.objects.order_by("pk").values_list("pk", "checksum"))
        for model in (RatingList, OtbList, CycleList)
    }


def permissions(holders, name, through):
    return {
        getattr(holder, name): sorted(getattr(holder, through).values_list("content_type__model", "codename"))
        for holder in holders.order_by("pk")
    }


def log():
    from django.contrib.admin.models import LogEntry

    return list(LogEntry.objects.order_by("pk").values_list("pk", "content_type__model", "object_id"))


def pages():
    """What visitors see, what only a member sees, and the admin: every list, and what its pages lead to."""
    visitor = walk(client_of(""), ["/", *seeds()], inside=False)
    of_members = walk(client_of("guest"), ["/my-ratings/", "/lists/requested/", "/"], inside=False)
    return {
        "": visitor,
        "guest": {page: status for page, status in of_members.items() if visitor.get(page) != status},
        "registrar": walk(client_of("registrar"), admin_pages(), inside=True),
    }


def client_of(who):
    """A browser, with the login of this user if there is one."""
    from django.contrib.auth.models import User
    from django.test import Client

    client = Client(raise_request_exception=False)
    if who:
        client.force_login(User.objects.get(username=who))
    return client


def seeds():
    """Addresses of all lists and tournaments, and of some games, lines of the ledger and members."""
    from members.models import Member
    from ratings.fide.models import OtbList, Tournament
    from ratings.league.models import CycleList, Season
    from ratings.models import Game, RatingChange, RatingList

    games = Game.objects.order_by("pk")
    lines = RatingChange.objects.order_by()
    reasons = lines.values_list("reason", flat=True).distinct()
    found = [
        *RatingList.objects.all(),
        *OtbList.objects.all(),
        *CycleList.objects.all(),
        *Tournament.objects.all(),
        *Season.objects.all(),
        *games[:2],
        *games.exclude(voided_at=None)[:2],
        *games.filter(rated=False)[:1],
        *(lines.filter(reason=reason).first() for reason in reasons),
        *Member.objects.order_by("pk")[:2],
        *Member.objects.exclude(requested_lists=None),
    ]
    addresses = [one.get_absolute_url() for one in found if one is not None]
    formats = ("csv", "json", "xlsx", "txt", "xml")
    of_lists = [
        f"{one.get_absolute_url()}?format={ending}"
        for one in (RatingList.objects.monthly()[0], RatingList.objects.requested()[0])
        for ending in formats
    ]
    as_json = [
        f"{address}?format=json" for address in addresses if address.startswith(("/games/", "/changes/"))
    ]
    return [*addresses, *of_lists, *as_json, "/lists/blitz/2026-11/", "/members/find/?member=toth"]


def admin_pages():
    """Of every model the list, and pages of the first and the last object."""
    from django.contrib import admin

    addresses = ["/admin/"]
    for model in admin.site._registry:
        at = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        first, last = model.objects.order_by("pk").first(), model.objects.order_by("pk").last()
        addresses.append(at)
        if first is not None and not at.startswith(NOT_FOLLOWED):
            addresses += [f"{at}{first.pk}/change/", f"{at}{first.pk}/history/", f"{at}{last.pk}/change/"]
    return addresses


def walk(client, addresses, inside):
    """The status of these pages, and of the first of each kind that they lead to; breadth first."""
    found, kinds = {}, Counter()
    waiting = [(address, None) for address in addresses]
    for address, linked_from in waiting:
        if address in found:
            continue
        if linked_from is not None:
            kind = kind_of(address, inside)
            if kind is None or kinds[kind] >= ALIKE:
                continue
            kinds[kind] += 1
        answer = client.get(address)
        if answer.status_code >= 500:
            raise SystemExit(f"{address} doesn't work: make the fixture again.")
        found[address] = answer.status_code
        content = b"".join(answer.streaming_content) if answer.streaming else answer.content
        if answer.get("Content-Type", "").startswith("text/html"):
            links = (html.unescape(link) for link in HREF.findall(content.decode()))
            waiting += [(urldefrag(urljoin(address, link)).url, address) for link in links]
    return found


def kind_of(address, inside):
    """The name of a page and of the questions in its address; None if no link to it is followed."""
    from django.urls import Resolver404, resolve

    parts = urlsplit(address)
    if parts.netloc or parts.path.startswith(NOT_FOLLOWED) or parts.path.startswith("/admin/") != inside:
        return None
    if inside and parts.query:
        # Every filter and order of every list.
        return None
    try:
        name = resolve(parts.path).view_name
    except Resolver404:
        return None
    return (name, *sorted({question for question, _ in parse_qsl(parts.query, keep_blank_values=True)}))


def main(to):
    with tempfile.TemporaryDirectory() as directory:
        database = Path(directory, "office.sqlite3")
        set_up(database)
        fill()
        from django.contrib.auth.models import Group, User

        made = {
            "version": VERSION,
            "tables": tables(database),
            "migrations": last_migrations(),
            "checksums": checksums(),
            "groups": permissions(Group.objects, "name", "permissions"),
            "users": permissions(User.objects, "username", "user_permissions"),
            "log": log(),
            "pages": pages(),
        }
    text = json.dumps(made, ensure_ascii=False, separators=(",", ":"))
    Path(to).write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))
    print({name: len(one["rows"]) for name, one in made["tables"].items() if one["rows"]})
    print({who or "visitor": Counter(found.values()) for who, found in made["pages"].items()})


if __name__ == "__main__":
    (target,) = sys.argv[1:]
    main(Path(target).resolve())
