"""What tests of the admin share."""

from __future__ import annotations

import re
from datetime import date, timedelta
from decimal import Decimal
from typing import Any
from uuid import uuid4

from django.db.models import Model

from members.former import FormerName
from members.models import AccountClosure
from ratings.fide.models import Announcement, FideList, FidePlayer, FideRating
from ratings.office.models import AuditedCheck, AuditFinding, ChangeSet, FileImport, Job, MovedRating
from ratings.rbb.ledger.replay import deferred
from ratings.rbb.models import (
    ArenaEvent,
    ImportBatch,
    LateLine,
    RatingChange,
    RatingList,
    RatingListEntry,
    RecalculatedLine,
    Recalculation,
    RuleEdition,
)
from ratings.rbb.models.lists import entry_id
from ratings.rules.time_controls import Category
from tests.arena import START, adjustment, at, control, game, rated
from tests.rooms import of_rooms


def admin_page(what: Model | type[Model], page: str = "") -> str:
    """The list of a model, or a page of an object: ``change``, ``delete``, ``history``."""
    options = what._meta
    address = f"/admin/{options.app_label}/{options.model_name}/"
    if isinstance(what, Model):
        return f"{address}{what.pk}/{page or 'change'}/"
    return f"{address}{page}/" if page else address


def furnish(rows: int = 1) -> None:
    """So many rows of every model."""
    for number in range(rows):
        who, other = rated(1800), rated(1700)
        AccountClosure.objects.create(
            member=who, closed_from=at(-10), closed_until=at(-5), category="request", decided_at=START
        )
        FormerName.objects.create(member=who, text=f"was{who.pk}", username_key=f"was{who.pk}", until=START)
        batch = ImportBatch.objects.create(source="games.csv", sha256="0" * 64, imported_at=START)
        event = ArenaEvent.objects.create(external_id=f"{who.pk}", name="Arena")
        game(who, other, minute=10 + RatingChange.objects.count(), batch=batch, event=event)
        adjustment(who, 5, source="FIDE list")
        FideList.objects.create(
            period=START.date(),
            source="list.txt",
            sha256=f"{FideList.objects.count():064}",
            imported_at=START,
        )
        listed = FidePlayer.objects.count() + 1
        FidePlayer.objects.create(fide_id=listed, name="Berg, Anna", folded="BERG, ANNA")
        FideRating.objects.create(fide_id=listed, control="rapid", period=START.date())
        Announcement.objects.create(
            period=START.date() + timedelta(days=Announcement.objects.count()),
            source="list",
            announced_at=START,
        )
        with deferred():
            RuleEdition(since=date(2099, 1, 1) + timedelta(days=RuleEdition.objects.count()), toml="").save()
        for furnish_room in of_rooms("furnish"):
            furnish_room()
        Job.objects.create(title="Some work", asked_at=START, language="en", task=uuid4())
        FileImport.objects.create(
            kind="import-games", parameters={"upload": ["0" * 32]}, source="games.csv", brought_at=START
        )
        AuditedCheck.objects.create(name=f"check-{number}-{who.pk}", looked_at=START, seconds=1, found=1)
        AuditFinding.objects.create(
            check_name="check", key=f"game {who.pk}", text="A game is green.", found_at=START
        )
        _furnish_decisions(who)
        published, _ = RatingList.objects.get_or_create(
            category=Category.BLITZ,
            month=START.date(),
            defaults={"as_of": START, "published_at": START, "members": 1, "checksum": "0" * 64},
        )
        position = published.entries.count() + 1
        RatingListEntry.objects.create(
            pk=entry_id(published.pk, position),
            rating_list=published,
            position=position,
            rank=1,
            member=who,
            username=who.username,
            rating=Decimal("1800"),
            games=number,
        )


def _furnish_decisions(who: Any) -> None:
    """A decision that moved a line."""
    change_set = ChangeSet.objects.create(
        kind="void-games",
        parameters={"game": ["1"]},
        state=ChangeSet.State.APPLIED,
        proposed_at=START,
        applied_at=START,
        moved=1,
        fingerprint="0" * 64,
    )
    MovedRating.objects.create(
        change_set=change_set, position=1, subject=who.pk, scale="blitz", before=1800_00
    )
    recalculation = Recalculation.objects.create(
        category=Category.BLITZ, since=START, at=START, lines=1, change_set=change_set
    )
    RecalculatedLine.objects.create(
        recalculation=recalculation,
        line=change_set.pk,
        gone=True,
        member=who,
        category=Category.BLITZ,
        occurred_at=START,
        reason=1,
    )
    LateLine.objects.create(recalculation=recalculation, line=change_set.pk)


def game_form(white: Any, black: Any, **fields: Any) -> dict[str, Any]:
    """What the form of a game posts."""
    return {
        "white": white.pk,
        "black": black.pk,
        "time_control": control("180+2").pk,
        "rated": "on",
        "unrated_reason": "",
        "result": "1-0",
        "termination": "normal",
        "plies": "",
        "started_at_0": "2026-03-01",
        "started_at_1": "00:10:00",
        "ended_at_0": "2026-03-01",
        "ended_at_1": "00:20:00",
        "external_id": "",
        "pgn": "",
        **fields,
    }


def keeps_the_policy(response: Any) -> bool:
    """Whether a page needs nothing that the policy forbids: styles, scripts and handlers within the page."""
    page = response.content.decode()
    inline = re.search(r"<style|\sstyle=|\son[a-z]+=|<script(?![^>]*\ssrc=)(?![^>]*application/json)", page)
    policy = response["Content-Security-Policy"].split("; ")
    return inline is None and "default-src 'self'" in policy and "unsafe" not in str(policy)
