"""Games of a server: stored as it sends them, in progress or finished."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from django.core.exceptions import ValidationError
from django.db import DEFAULT_DB_ALIAS, IntegrityError, OperationalError, connection, transaction
from django.utils.translation import gettext as _

from foa.passing import is_conflict
from members.models import Member
from members.usernames import Usernames, composed
from ratings.arena.services.presence import End, bring_to_end, lock_game, loss_of, sent_end_of, settle
from ratings.formats.games import GameRow
from ratings.formats.problems import Fault
from ratings.labels import unmet_text
from ratings.models import Game, TimeControl
from ratings.models.games import UNMET
from ratings.rules.rbb.presence import Loss
from ratings.services.ledger.locks import share_accounts_of
from ratings.services.ledger.versions import Version

ATTEMPTS: Final = 3
"""So often is begun again what met with something else."""


class RefusedError(Exception):
    """A game that the office can't take, with every reason, its field and its article."""

    def __init__(self, faults: list[Fault]) -> None:
        super().__init__("; ".join(map(str, faults)))
        self.faults = faults


class ContradictionError(Exception):
    """A server sends another game than the one it sent before under the same id.

    ``lost``: the loss by RBB 2.4 that the result contradicts, where that is the reason.
    """

    def __init__(self, stored: Version, sent: Version, lost: Loss | None = None) -> None:
        super().__init__(stored.differing(sent))
        self.stored, self.sent, self.lost = stored, sent, lost


def put_game(row: GameRow, *, at: datetime) -> tuple[Game, bool]:
    """Store a game as its server knows it now; the game, and whether it is new.

    A game that is there already is finished, or stays as it is. Raises RefusedError and ContradictionError,
    and then nothing is stored.
    """
    left = ATTEMPTS
    while True:
        try:
            return _put(row, at)
        except (IntegrityError, OperationalError) as error:
            # The same game came twice at once and the other one was first, or a player was merged meanwhile.
            left -= 1
            if not left or not is_conflict(error):
                raise


def game_of_server(external_id: str) -> Game:
    """A game by its id in this office; raises Game.DoesNotExist."""
    return Game.objects.with_names().get(external_id=external_id)


@transaction.atomic
def _put(row: GameRow, at: datetime) -> tuple[Game, bool]:
    # Most are new, and to see that is a quarter of the work of reading a game with its players.
    is_there = Game.objects.filter(external_id=row.external_id).exists()
    game = lock_game(external_id=row.external_id) if is_there else None
    if game is None:
        return _store(row), True
    _update(game, row, at)
    return game, False


def _store(row: GameRow) -> Game:
    white, black = _players(row)
    share_accounts_of(connection, (white.pk, black.pk))
    game = Game(
        white=white,
        black=black,
        time_control=TimeControl.objects.get_or_create(**row.control._asdict())[0],
        started_at=row.started_at,
        termination_word=row.word,
        plies=row.plies,
        pgn=row.pgn,
        external_id=row.external_id,
        **End.of(row)._asdict(),
    )
    try:
        game.save()
    except ValidationError as error:
        raise RefusedError(_faults(game, error)) from error
    return game


def _update(game: Game, row: GameRow, at: datetime) -> None:
    there = _version(game, sent_end_of(game))
    here = Version.of(row).as_called_now(there, using=DEFAULT_DB_ALIAS)
    if here.same_as(there) or here.same_as(_version(game, End.of(game))):
        if not row.result and _take_moves(game, row):
            Game.objects.filter(pk=game.pk).update(plies=game.plies, pgn=game.pgn)
            if game.result:
                settle(game, at=at)
    elif here.finishes(there):
        _finish(game, row, here, there, at)
    elif not there.finishes(here):
        raise ContradictionError(there, here)


def _finish(game: Game, row: GameRow, here: Version, there: Version, at: datetime) -> None:
    sent = End.of(row)
    if not there.rated:
        # The server played it so, or the office has made it unrated since.
        sent = sent._replace(rated=False, unrated_reason=there.unrated_reason)
    lost = loss_of(game, sent, at=at, told_of_end=True)
    if lost is not None and lost.result != row.result:
        raise ContradictionError(there, here, lost)
    if _take_moves(game, row) and game.result:
        Game.objects.filter(pk=game.pk).update(plies=game.plies, pgn=game.pgn)
    if lost is None:
        game.termination_word = row.word
    try:
        bring_to_end(game, sent, lost)
    except ValidationError as error:
        raise RefusedError(_faults(game, error)) from error


def _take_moves(game: Game, row: GameRow) -> bool:
    """Take the moves that a game has made since, whichever of two messages was late; whether it has."""
    known = game.plies, game.pgn
    if row.plies is not None:
        game.plies = max(game.plies or 0, row.plies)
    if len(row.pgn) > len(game.pgn):
        game.pgn = row.pgn
    return known != (game.plies, game.pgn)


def _players(row: GameRow) -> tuple[Member, Member]:
    players = Usernames(Member.objects.order_by().by_username((row.white, row.black)))
    white, black = players.find(row.white), players.find(row.black)
    if white is None or black is None:
        raise RefusedError(
            [
                Fault(colour, _why_unknown(name, players))
                for colour, name, member in (("white", row.white, white), ("black", row.black, black))
                if member is None
            ]
        )
    return white, black


def _why_unknown(name: str, players: Usernames[Member]) -> str:
    words = {"name": name[:40], "why": players.alike(name) or _("this isn't the username of a member")}
    return _("“%(name)s”: %(why)s") % words


def _version(game: Game, end: End) -> Version:
    """A stored game with this end."""
    return Version(
        composed(game.white.username),
        composed(game.black.username),
        *game.time_control.control,
        game.started_at,
        end.result,
        end.ended_at,
        end.rated,
        end.unrated_reason,
        game.voided_at,
    )


def _faults(game: Game, error: ValidationError) -> list[Fault]:
    """Why a game can't be stored: plain faults, or the conditions of RBB section 2 that it doesn't meet."""
    named = error.error_dict if hasattr(error, "error_dict") else {"": error.error_list}
    plain = [
        Fault(field, text)
        for field, faults in named.items()
        for fault in faults
        if fault.code != UNMET
        for text in fault.messages
    ]
    return plain or [Fault(one.field, unmet_text(one), one.article) for one in game.unmet_conditions()]
