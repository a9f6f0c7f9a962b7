"""Games and lines of the ledger as JSON. docs/json.md documents every field; the names are stable."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.urls import reverse

from foa.text import utc_text
from members.models import Member
from ratings.rbb.explanation import LedgerExplanation, Note
from ratings.rbb.explanation.sentences import sentence
from ratings.rbb.explanation.sides import Side
from ratings.rbb.explanation.steps import displayed_rating
from ratings.rbb.models import ArenaEvent, Game, RatingChange, RecalculatedLine
from ratings.rbb.models.keys import is_black


def change_json(
    row: RatingChange,
    explanation: LedgerExplanation,
    *,
    previous: int | None,
    following: int | None,
    decisions: Iterable[RecalculatedLine],
) -> dict[str, Any]:
    """Return a line of the ledger, explained; ``previous`` and ``following`` are its neighbours' keys.

    ``decisions``: the line as it was before each decision that moved it, latest first.
    """
    return {
        **_line_json(row),
        "steps": steps_json(explanation),
        "recalculated": [_recalculation_json(one) for one in decisions],
        "previous": None if previous is None else _change_address(previous),
        "next": None if following is None else _change_address(following),
    }


def gone_change_json(gone: RecalculatedLine, following: RatingChange | None) -> dict[str, Any]:
    """Return a line that is no longer in the ledger, with its cause and the member's next line."""
    return {
        "id": gone.line,
        "url": _change_address(gone.line),
        "gone": True,
        "member": member_json(gone.member),
        "category": gone.category.slug,
        "occurred_at": utc_text(gone.occurred_at),
        "opponent": None if gone.opponent is None else member_json(gone.opponent),
        "change": gone.change,
        **_recalculation_json(gone),
        "next": None if following is None else _change_address(following.pk),
    }


def _recalculation_json(one: RecalculatedLine) -> dict[str, Any]:
    """Return when and by which decision a line was moved or deleted, with its ratings before and after."""
    decision = one.recalculation.change_set
    return {
        "recalculated_at": utc_text(one.recalculation.at),
        "decision": None if decision is None else decision.get_absolute_url(),
        "why": None if decision is None else str(decision.public_why),
        "before": one.before,
        "after": one.after,
    }


def game_json(
    game: Game, sides: tuple[Side, Side], notes: Sequence[Note], *, with_steps: bool = True
) -> dict[str, Any]:
    """Return a game with the lines of both players and their steps, or the reasons why it has none."""
    white, black = sides
    changes = []
    for side in sides:
        if side.line is not None:
            steps = {"steps": steps_json(side.explanation)} if with_steps and side.explanation else {}
            changes.append(_line_json(side.line) | steps)
    return {
        "id": game.pk,
        "url": game.get_absolute_url(),
        "external_id": game.external_id,
        "white": {**member_json(game.white), "rating_before": white.before},
        "black": {**member_json(game.black), "rating_before": black.before},
        "time_control": game.time_control.control.notation,
        "category": game.category.slug if game.category else None,
        "rated": game.rated,
        "result": game.result or None,
        "termination": game.termination,
        "plies": game.plies,
        "started_at": utc_text(game.started_at),
        "ended_at": _moment(game.ended_at),
        "voided_at": _moment(game.voided_at),
        "void_reason": str(game.why_void) or None,
        "event": None if game.event is None else _event_of(game, game.event),
        "arena_url": game.url or None,
        "variant": game.variant or "standard",
        "pgn": f"{game.get_absolute_url()}?format=pgn" if game.pgn else None,
        "why_nothing": [{"articles": note.articles, "text": note.text} for note in notes],
        "changes": changes,
    }


def _event_of(game: Game, event: ArenaEvent) -> dict[str, Any]:
    return {
        "id": event.external_id,
        "url": event.get_absolute_url(),
        "name": event.name,
        "round": game.round or None,
        "arena_url": event.url or None,
    }


def _line_json(row: RatingChange) -> dict[str, Any]:
    return {
        "id": row.pk,
        "url": _change_address(row.pk),
        "kind": row.kind.name.lower(),
        "member": member_json(row.member),
        "category": row.category.slug,
        "occurred_at": utc_text(row.occurred_at),
        "game": None if row.game_id is None else reverse("ratings:game", args=(row.game_id,)),
        "opponent": None if row.opponent is None else member_json(row.opponent),
        "reason": row.why.name.lower(),
        "articles": row.why.article.split(", "),
        "before": row.before,
        "after": row.after,
        "change": row.change,
        "displayed_before": displayed_rating(row.before),
        "displayed_after": displayed_rating(row.after),
        "sentence": sentence(row),
    }


def steps_json(explanation: LedgerExplanation) -> list[dict[str, Any]]:
    return [
        {
            "number": number,
            "name": step.name,
            "articles": step.articles,
            "text": step.text,
            "values": step.values,
        }
        for number, step in enumerate(explanation.steps, 1)
    ]


def plain_change_json(row: RatingChange) -> dict[str, Any]:
    """Return a line of the ledger without its explanation, as in lists of one member's lines."""
    return {
        "id": row.pk,
        "url": _change_address(row.pk),
        "kind": row.kind.name.lower(),
        "category": row.category.slug,
        "occurred_at": utc_text(row.occurred_at),
        "game": None if row.game_id is None else reverse("ratings:game", args=(row.game_id,)),
        "colour": None if row.game_id is None else "black" if is_black(row.pk) else "white",
        "opponent": None if row.opponent is None else member_json(row.opponent),
        "opponent_rating": row.opponent_rating,
        "score": None if row.half_points is None else Decimal(row.half_points) / 2,
        "change": row.change,
        "after": row.after,
    }


def member_json(member: Member) -> dict[str, Any]:
    return {
        "id": member.pk,
        "url": member.get_absolute_url(),
        "username": member.username,
        "name": member.name,
        "title": member.title,
    }


def _change_address(key: int) -> str:
    return reverse("ratings:change", args=(key,))


def _moment(moment: datetime | None) -> str | None:
    return None if moment is None else utc_text(moment)
