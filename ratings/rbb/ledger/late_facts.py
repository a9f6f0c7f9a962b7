"""Late facts that move ratings behind the newest ones: an entry in the register, without a decision.

A result is expected within an hour of the game's end. What comes later, or behind a published list, is
reported like a decision: its origin, and whose ratings it moved.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from django.urls import reverse
from django.utils import timezone

from foa.text import utc_text
from ratings.office.deciding import register_facts
from ratings.office.effects import Sentence
from ratings.office.models import OutboxEntry
from ratings.rbb.ledger.summaries import Cause, ReplaySummary, effect_of
from ratings.rbb.models.games import Game, ImportBatch
from ratings.rbb.models.pending_replay import Pending
from ratings.rbb.models.recalculations import SETTLED_AFTER, Recalculation
from ratings.rbb.same_game import server_of_id

LATE_FACTS: Final = "late-facts"
"""The name of this kind."""


def origin_of(game: Game) -> dict[str, list[str]]:
    """Return a game's origin: the server whose name begins its external id."""
    server = server_of_id(game.external_id or "")
    return {"game": [str(game.pk)], "server": [server]} if server else {"game": [str(game.pk)]}


def origin_of_batch(batch: ImportBatch, number: int) -> dict[str, list[str]]:
    """Return the origin of imported rows: a file has a checksum; rows from a server have none."""
    origin = {"number": [str(number)], "file" if batch.sha256 else "server": [batch.source]}
    # An import that only finished games isn't kept.
    return origin if batch.pk is None else {**origin, "batch": [str(batch.pk)]}


def register_late_facts(
    touched: Pending, summary: ReplaySummary, *, cause: Cause, origin: Mapping[str, list[str]]
) -> None:
    """Register what late facts moved. Results that were still expected aren't registered."""
    now = timezone.now()
    if summary.behind is None or not (summary.lists or now - summary.behind > SETTLED_AFTER):
        return
    number = len(set[int]().union(*(one.keys or () for one in touched.values())))
    parameters = {"cause": [str(cause)], "number": [str(number)], **origin}
    # A rebuild begins with the first event, which says nothing about what was late.
    oldest = [one.since for one in touched.values() if one.since is not None]
    since = min(oldest, default=summary.behind)
    parameters |= {"since": [utc_text(since)], "late": [str(int((now - since).total_seconds()))]}
    effect = effect_of(summary)
    effect.outcome = [Sentence("", (link,)) for link in _links(parameters)]
    entry = register_facts(LATE_FACTS, parameters, effect)
    noted = Recalculation.objects.filter(pk__in=summary.noted)
    noted.update(change_set=entry)
    told = OutboxEntry.objects.filter(pk__in=noted.values("entry"))
    told.update(data={"cause": str(cause), "register": entry.pk})


def _links(parameters: Mapping[str, list[str]]) -> list[tuple[str, str]]:
    """Return links to the facts, for staff."""
    found = []
    if "game" in parameters:
        key = parameters["game"][0]
        found.append((f"game {key}", reverse("admin:ratings_game_change", args=(key,))))
    if "batch" in parameters:
        (name,) = parameters.get("file") or parameters["server"]
        address = reverse("admin:ratings_importbatch_change", args=(parameters["batch"][0],))
        found.append((name, address))
    return found
