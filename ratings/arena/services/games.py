"""Games of a server: stored as sent, in progress or ended, and taken back."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from foa.db_errors import again_after_conflicts
from foa.history import give_reason
from foa.text import time_span
from members.former import accounts_called, keep_arrivals
from members.models import Member
from members.usernames import Usernames, composed, key_of
from ratings.arena.models import GameServer, SentEnd
from ratings.arena.services.presence import (
    End,
    bring_to_end,
    lock_game,
    lock_own_game,
    loss_of,
    sent_end_of,
    set_end,
    settle,
)
from ratings.formats.game_details import NONE
from ratings.formats.games import GameRow
from ratings.formats.main_line import main_line
from ratings.formats.problems import Fault
from ratings.office.deciding import Proposal, decide_at_once, withdraw
from ratings.office.decision_types import kind_of
from ratings.office.models import ChangeSet, PublicReason
from ratings.rbb.decisions.games import VoidGames
from ratings.rbb.ledger.details import (
    check_variant,
    columns_of,
    keep_event,
    take_details,
    tells_other_variant,
)
from ratings.rbb.ledger.game_import import Taken, faults_of_save
from ratings.rbb.ledger.known_games import also_known_as, stored_elsewhere
from ratings.rbb.ledger.locks import share_accounts_of
from ratings.rbb.ledger.versions import UNSAID, Version, with_end
from ratings.rbb.models import Game, TimeControl
from ratings.rbb.models.games import CLOCK_AHEAD
from ratings.rbb.same_game import TURNED_CASUAL
from ratings.rules.rbb.conditions import PLAYED, why_not_played, why_not_standard
from ratings.rules.rbb.presence import Loss
from ratings.rules.rbb.terminations import Termination
from ratings.rules.rbb.variants import STANDARD
from ratings.rules.time_controls import UNKNOWN

_CASUAL: Final = ("", TURNED_CASUAL)
"""Reasons of games that their servers call unrated. Any other reason is the office's."""


class RefusedError(Exception):
    """An error for a game that the office can't accept, with every reason, its field and its article."""

    def __init__(self, faults: list[Fault]) -> None:
        super().__init__("; ".join(map(str, faults)))
        self.faults = faults


class ContradictionError(Exception):
    """An error for a game that differs from what the server sent before under the same id.

    ``fields``: what differs, each with the stored and the sent value. ``lost``: the loss by RBB 2.4 that the
    result contradicts, if that is the reason.
    """

    def __init__(
        self,
        stored: Version,
        sent: Version,
        fields: dict[str, tuple[Any, Any]] | None = None,
        lost: Loss | None = None,
    ) -> None:
        self.stored, self.sent, self.fields, self.lost = stored, sent, fields or {}, lost
        plain = ["result"] if lost else list(filter(None, stored.differing(sent).split(", ")))
        if not lost and (stored.ended_at is None or sent.ended_at is None):
            # One of the versions is from before the end.
            plain = [name for name in plain if name not in ("result", "ended_at")]
        self.differing = [*plain, *(name for name in self.fields if name not in plain)]
        super().__init__(", ".join(self.differing))


class ReasonMissingError(Exception):
    """An error for a finished game that is to be voided without a reason."""


@again_after_conflicts
@transaction.atomic
def put_game(row: GameRow, *, at: datetime) -> tuple[Game, Taken]:
    """Store a game as its server knows it now; return it and what was done.

    An existing game, also one that is known by another id, ends, gets missing details, or stays unchanged.
    Raises RefusedError, ContradictionError and DetailsError; nothing is stored then.
    """
    if faults := clock_faults(row, at):
        raise RefusedError(faults)
    game = lock_game(external_id=row.external_id)
    if game is None and (other := stored_elsewhere([row]).get(row.external_id)):
        game = lock_game(external_id=other)
    if game is None:
        return _store(with_end(row, None, at=at)), Taken.STORED
    return take_again(game, row, row.external_id, at=at)


def take_again(game: Game, row: GameRow, sent_as: str, *, at: datetime) -> tuple[Game, Taken]:
    """Apply what is new to a stored, locked game; return it and what was done.

    ``sent_as``: the id of the row. Raises RefusedError, ContradictionError and DetailsError before anything
    is stored, unless events of presence are known of the game (RBB 2.4).
    """
    _take_variant(game, row)
    _take_what_was_unsaid(game, row)
    taken = _update(game, row, at)
    if any(game.was(name) != getattr(game, name) for name in _SAID):
        _save(game)
        taken = Taken.UPDATED
    if row.details != NONE:
        stored = game.as_loaded()
        check_variant(stored.variant, row.details, counts=stored.rated and stored.ended_at is not None)
        if take_details(stored, row.details, keep_event(row.details.event)):
            game.refresh_from_db()
            taken = Taken.UPDATED if taken is Taken.ALREADY_THERE else taken
    also_known_as(game, sent_as)
    return game, taken


def clock_faults(row: GameRow, at: datetime) -> list[Fault]:
    """RBB 3.11: return the fault of a game that starts or ends later than a server's clock may be ahead."""
    name, moment = ("started_at", row.started_at) if row.ended_at is None else ("ended_at", row.ended_at)
    return [Fault(name, too_far_ahead(moment, at), "RBB 3.11")] if moment > at + CLOCK_AHEAD else []


def too_far_ahead(moment: datetime, at: datetime) -> str:
    """Say by how much a server's clock is ahead."""
    words = {"ahead": time_span(moment - at)}
    return _("This is in the future: your clock is %(ahead)s ahead. Up to 5 minutes are allowed.") % words


@transaction.atomic
def take_back(server: GameServer, own_id: str, *, reason: str, at: datetime) -> tuple[Game, ChangeSet | None]:
    """Abort a game in progress, or void one that has ended, as its server asks. Repeating changes nothing.

    Return the game, and the decision to void it if that waits for the office. A trusted server's decision is
    applied at once; another server's waits, and replaces its earlier waiting one. Raises Game.DoesNotExist,
    and ReasonMissingError for a void without a ``reason``.
    """
    game = lock_own_game(server.external_id(own_id))
    if game is None:
        raise Game.DoesNotExist
    if game.ended_at is None:
        why = why_not_played(None, Termination.ABORTED) if game.rated else game.unrated_reason
        game.termination_word = ""
        bring_to_end(game, End(False, why, "", Termination.ABORTED, max(at, game.started_at)), None)
        return game, None
    if game.voided_at is not None or game.ended_unplayed:
        return game, None
    if not reason:
        raise ReasonMissingError
    parameters = {"game": [str(game.pk)]}
    waiting = ChangeSet.objects.open().filter(
        kind=VoidGames.name, parameters__game=parameters["game"], proposed_as=server.system_user
    )
    for earlier in waiting.exclude(staff_note=reason).order_by("pk"):
        withdraw(earlier)
    decision, _effect = decide_at_once(
        Proposal(
            kind=kind_of(VoidGames.name),
            parameters=parameters,
            system_user=server.system_user,
            reason=PublicReason.ORGANIZER,
            note=reason,
            waits=not server.trusted,
        )
    )
    waits = decision is not None and decision.state != ChangeSet.State.APPLIED
    return Game.objects.with_names().get(pk=game.pk), decision if waits else None


def _store(row: GameRow) -> Game:
    white, black = _players(row)
    share_accounts_of((white.pk, black.pk))
    sent = {"white": (white, row.white), "black": (black, row.black)}
    former = {colour: name for colour, (one, name) in sent.items() if one.username_key != key_of(name)}
    if former and _players(row) != (white, black):
        # Tried again, the game finds the account that was separated from the member meanwhile.
        raise IntegrityError("a merge of accounts was taken back meanwhile")
    game = Game(
        white=white,
        black=black,
        time_control=_control(row),
        started_at=row.started_at,
        termination_word=row.word,
        plies=row.plies,
        pgn=row.pgn,
        external_id=row.external_id,
        **columns_of(row.details, keep_event(row.details.event)),
        **End.of(row)._asdict(),
    )
    _save(game)
    for colour, name in former.items():
        keep_arrivals(f"ratings.Game.{colour}", {game.pk: accounts_called([name]).get(key_of(name))})
    return game


def _update(game: Game, sent: GameRow, at: datetime) -> Taken:
    """Apply what is new to a stored, locked game; raises ContradictionError for anything else."""
    end, now = sent_end_of(game), End.of(game)
    there = version_of(game, end)
    row = with_end(sent, there if there.ended_at else version_of(game, now), at=at)
    here = Version.of(row).as_called_now(there)
    if here[:_STARTED] != there[:_STARTED]:
        raise ContradictionError(there, here, _differences(game, end, row))
    if not row.has_ended:
        return _go_on(game, row, here, there, at)
    for known in (end, now):
        if (known.result, known.ended_at) == (row.result, row.ended_at):
            if differing := _differences(game, known, row):
                raise ContradictionError(version_of(game, known), here, differing)
            return _complete(game, row, here, known, at)
    if there.ended_at is not None:
        raise ContradictionError(there, here, _differences(game, end, row))
    return _finish(game, row, here, there, at)


def _go_on(game: Game, row: GameRow, here: Version, there: Version, at: datetime) -> Taken:
    """Add the new moves of a game in progress. A game that has ended stays unchanged."""
    turns_casual = is_casual(here) and not is_casual(there)
    turns_variant = there.rated and row.details.variant != STANDARD
    is_over = there.ended_at is not None
    # A game that began as rated may end as casual, whichever of the two messages comes first.
    if turns_casual if is_over else here.rated and is_casual(there):
        raise ContradictionError(there, here, _rated(here))
    if is_over:
        return Taken.ALREADY_THERE
    known = game.plies, game.pgn
    if row.plies is not None:
        # Either of two messages may be late.
        game.plies = max(game.plies or 0, row.plies)
    if len(row.pgn) >= len(game.pgn):
        game.pgn = row.pgn
    if turns_casual or turns_variant:
        end = sent_end_of(game)
        why = TURNED_CASUAL if turns_casual else row.unrated_reason
        _save_with(game, end._replace(rated=False, unrated_reason=why), end, at)
    elif known != (game.plies, game.pgn):
        Game.objects.filter(pk=game.pk).update(plies=game.plies, pgn=game.pgn)
        if game.ended_at is not None:
            settle(game, at=at)
    else:
        return Taken.ALREADY_THERE
    return Taken.UPDATED


def _finish(game: Game, row: GameRow, here: Version, there: Version, at: datetime) -> Taken:
    """End a game that was in progress according to its server."""
    was_in_progress = game.ended_at is None
    sent = End.of(row)
    if here.rated and is_casual(there):
        raise ContradictionError(there, here, _rated(here))
    if is_casual(here) and not is_casual(there):
        sent = sent._replace(unrated_reason=TURNED_CASUAL)
    elif not there.rated:
        # The server played it as unrated, or the office has made it unrated since.
        sent = sent._replace(rated=False, unrated_reason=there.unrated_reason)
    lost = loss_of(game, sent, at=at, told_of_end=True)
    if lost is not None and lost.result != row.result:
        raise ContradictionError(there, here, lost=lost)
    game.plies = game.plies if row.plies is None else row.plies
    game.pgn = row.pgn or game.pgn
    if lost is None:
        game.termination_word = row.word
    if not was_in_progress:
        # The end is a correction, which reads the game again.
        Game.objects.filter(pk=game.pk).update(
            plies=game.plies,
            pgn=game.pgn,
            termination_word=game.termination_word,
            variant=row.details.variant or game.variant,
        )
    try:
        bring_to_end(game, sent, lost)
    except ValidationError as error:
        raise RefusedError(_faults(game, error)) from error
    return Taken.FINISHED if was_in_progress else Taken.UPDATED


def _complete(game: Game, row: GameRow, here: Version, known: End, at: datetime) -> Taken:
    """Add what was missing from a finished game: moves, or the office's word for its end.

    The sent row doesn't contradict ``known``, which is the end as its server sent it, or as stored. A game
    that was unrated because of what was missing becomes rated, and vice versa.
    """
    plies = game.plies if row.plies is None else row.plies
    termination, word = known.termination, game.termination_word
    says_more = row.termination != Termination.NORMAL
    says_anything = says_more or bool(row.word)
    if (known.termination == Termination.NORMAL and says_more) or (
        known.termination == Termination.UNKNOWN and says_anything
    ):
        termination, word = row.termination, row.word
    end = known._replace(termination=termination)
    was = why_not_played(game.plies, known.termination, game.termination_word)
    if known.rated or (was and known.unrated_reason == was):
        why = why_not_standard(game.variant) or why_not_played(plies, termination, word)
        end = end._replace(rated=not why, unrated_reason=why)
    # The fuller of two texts, of which a file may have brought the first.
    pgn = max(game.pgn, row.pgn, key=len)
    if (plies, pgn, word, end) == (game.plies, game.pgn, game.termination_word, known):
        return Taken.ALREADY_THERE
    lost = loss_of(game, end, at=at, told_of_end=True) if end.rated and not known.rated else None
    if lost is not None and lost.result != end.result:
        raise ContradictionError(version_of(game, known), here, lost=lost)
    game.plies, game.pgn, game.termination_word = plies, pgn, word
    _save_with(game, end, known, at)
    return Taken.UPDATED


def _save_with(game: Game, end: End, known: End, at: datetime) -> None:
    """Store a game whose ``known`` end has changed, unless staff or RBB 2.4 have decided about it."""
    kept = getattr(game, "sent_end", None)
    if kept is not None and End.of(kept) == known:
        SentEnd.objects.filter(pk=kept.pk).update(**end._asdict())
    if End.of(game) == known:
        set_end(game, end)
    give_reason(game, "sent again by its server")
    _save(game)
    settle(Game.objects.with_names().get(pk=game.pk), at=at)
    game.refresh_from_db()


def _differences(game: Game, known: End, row: GameRow) -> dict[str, tuple[Any, Any]]:
    """Return where a row contradicts a stored, finished game: both values, by field.

    Moves may be missing, and may be added. A word for the end may be missing or unknown, and become known.
    """
    found: dict[str, tuple[Any, Any]] = {}
    here, there = Version.of(row), version_of(game, known)
    if (is_casual(here) and not is_casual(there)) or (here.rated and is_casual(there)):
        found |= _rated(here)
    if known.termination not in (row.termination, Termination.UNKNOWN):
        is_missing = known.termination == Termination.NORMAL and row.termination in PLAYED
        if row.termination != Termination.NORMAL and not is_missing:
            said = row.word if row.termination == Termination.UNKNOWN else row.termination.value
            found["termination"] = known.termination, said
    if row.plies is not None and game.plies is not None and row.plies < game.plies:
        found["plies"] = game.plies, row.plies
    if row.pgn and row.pgn != game.pgn and len(row.pgn) <= len(game.pgn) and not _same_moves(row, game):
        found["pgn"] = game.pgn, row.pgn
    return found


def _same_moves(row: GameRow, game: Game) -> bool:
    """Return whether two texts tell the same moves, which is so if only tags or comments differ."""
    lines = [main_line(text) for text in (row.pgn, game.pgn)]
    sent, stored = ([ply.san for ply in line.plies] if line else [] for line in lines)
    return bool(sent) and sent == stored


def _rated(sent: Version) -> dict[str, tuple[Any, Any]]:
    """Return the contradiction of one version calling the game rated and the other unrated."""
    return {"rated": (is_casual(sent), not is_casual(sent))}


def is_casual(version: Version) -> bool:
    """Return True for a game that its server calls unrated, False for one unrated for another reason."""
    return not version.rated and version.unrated_reason in _CASUAL


def _save(game: Game) -> None:
    """Store what the server sent; raises RefusedError."""
    game.told_by_server = True
    try:
        game.save()
    except ValidationError as error:
        raise RefusedError(_faults(game, error)) from error


def _take_what_was_unsaid(game: Game, row: GameRow) -> None:
    """Set the control and whether it is rated, if a file told of the game and didn't say so."""
    there = version_of(game, End.of(game))
    if game.unrated_reason not in UNSAID or game.voided_at is not None:
        return
    if Version.of(row).as_called_now(there)[:_STARTED] != there.knowing(Version.of(row))[:_STARTED]:
        return
    if there.control == UNKNOWN:
        game.time_control = _control(row)
    why = row.unrated_reason
    if row.rated:
        why = why_not_standard(game.variant)
        why = why or why_not_played(game.plies, game.termination, game.termination_word)
    game.rated, game.unrated_reason = row.rated and not why, why


def _control(row: GameRow) -> TimeControl:
    return TimeControl.objects.get_or_create(**row.control._asdict())[0]


def _take_variant(game: Game, row: GameRow) -> None:
    """Set the game's variant from the row; raises DetailsError."""
    if tells_other_variant(game.variant, row.details):
        # For its server, a game that has ended by RBB 2.4 may still be in progress.
        end = sent_end_of(game)
        check_variant(game.variant, row.details, counts=end.rated and end.ended_at is not None)
        if end == End.of(game):
            game.variant = row.details.variant


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
    words = {"name": name[:40], "why": players.alike(name) or _("no member has this username")}
    return _("“%(name)s”: %(why)s") % words


def version_of(game: Game, end: End) -> Version:
    """Return a stored game's version with this end."""
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
    """Return why a game can't be stored, with the server's names for the fields."""
    faults = faults_of_save(game, error)
    return [one._replace(field="id") if one.field == "external_id" else one for one in faults]


_SAID: Final = ("rated", "unrated_reason", "time_control_id")
_STARTED: Final = Version._fields.index("result")
"""Number of a version's first fields that identify the game."""
