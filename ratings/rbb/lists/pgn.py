"""The list of games as PGN: oldest first, with the ratings before each game and the changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC
from itertools import islice
from typing import Any, Final

from django.conf import settings
from django.db.models import F

from foa.addresses import address_of
from foa.files import FileFormat, TableFile
from ratings.formats.pgn_writing import event_tags, game_text, moment_tags
from ratings.rbb.explanation.steps import displayed_rating
from ratings.rbb.models import Game, RatingChange

_AT_ONCE: Final = 200
"""Number of games that are read and written together."""

Lines = Mapping[int, RatingChange]
"""Lines of the ledger by their keys."""


def pgn_of(game: Game) -> str:
    """Return one game."""
    return _text(game, _lines([game]))


def pgn_pieces(file: TableFile) -> Iterator[bytes]:
    """Yield the games of a list."""
    games = file.source.select_related("white", "black", "time_control", "event")
    in_order = games.order_by(F("ended_at").asc(nulls_first=True), "tie_rank", "pk")
    read = in_order.iterator(_AT_ONCE)
    while some := list(islice(read, _AT_ONCE)):
        lines = _lines(some)
        yield "".join(_text(game, lines) for game in some).encode()


PGN: Final = FileFormat("application/x-chess-pgn", pgn_pieces)


def _lines(games: Sequence[Game]) -> Lines:
    keys = [key for game in games for key in game.ledger_keys]
    found = RatingChange.objects.filter(pk__in=keys).order_by().only("before", "change")
    return {line.pk: line for line in found}


def _text(game: Game, lines: Lines) -> str:
    start = game.started_at.astimezone(UTC)
    end = game.ended_at and game.ended_at.astimezone(UTC)
    white, black = (lines.get(key) for key in game.ledger_keys)
    tags = {
        **event_tags(
            game.event.name if game.event else "",
            arena=settings.ARENA_NAME,
            rated=game.rated and game.voided_at is None,
        ),
        "Site": _site(game),
        "Date": f"{start:%Y.%m.%d}",
        "Round": game.round,
        "White": game.white.username,
        "Black": game.black.username,
        **moment_tags("UTCDate", "UTCTime", start),
        **_player("White", game.white, white),
        **_player("Black", game.black, black),
        "TimeControl": game.time_control.control.notation,
        "Variant": game.variant,
        "Termination": (game.termination_word or game.termination) if end else "",
        **(moment_tags("UTCEndDate", "UTCEndTime", end) if end else {}),
        "PlyCount": str(game.plies or ""),
        "Void": game.void_reason,
    }
    return game_text(tags, game.pgn, game.result)


def _player(colour: str, member: Any, line: RatingChange | None) -> dict[str, str]:
    before = displayed_rating(line.before) if line else None
    return {
        f"{colour}Elo": str(before or ("-" if line else "")),
        f"{colour}RatingDiff": f"{line.change:+.2f}" if line and line.change is not None else "",
        f"{colour}Title": member.title,
        f"{colour}FideId": str(member.fide_id or ""),
    }


def _site(game: Game) -> str:
    """Return the address by which the game is known elsewhere, or that of its page here."""
    known = game.url or game.external_id or ""
    if known.startswith(("http://", "https://")):
        return known
    return f"{settings.SITE_URL}{address_of('ratings:game', game.pk)}"
