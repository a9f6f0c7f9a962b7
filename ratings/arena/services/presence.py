"""RBB 2.4 during play: games end when a player is gone for too long, unless later events contradict that.

The end follows from the server's events (:mod:`ratings.rules.rbb.presence`), so checking again changes
nothing. It is checked with each event, when a player's time may be over, and every hour.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from copy import copy
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone
from django_tasks import TaskResultStatus, task
from django_tasks_db.models import DBTaskResult

from foa.history import give_reason
from foa.repeatable import repeatable
from ratings.arena.models import PresenceEvent, SentEnd
from ratings.office.bulk import batches
from ratings.office.deciding import Proposal, decide_at_once
from ratings.office.decision_types import kind_of
from ratings.office.models import PublicReason
from ratings.rbb.decisions.games import GAME_FIELDS
from ratings.rbb.decisions.inputs import parameters_of
from ratings.rbb.ledger.known_games import stored_id
from ratings.rbb.models import Game
from ratings.rules.rbb.presence import LONGEST, Loss, What, loss
from ratings.rules.rbb.terminations import Termination

_BY_PRESENCE: Final = (Termination.WHITE_GONE, Termination.BLACK_GONE, Termination.BOTH_GONE)
_LATE: Final = timedelta(days=1)
"""Time after its last event for which a finished game is still checked every hour."""

_logger: Final = logging.getLogger(__name__)


class End(NamedTuple):
    """The end of a game, as its server sent it or as stored; a game in progress has no end."""

    rated: bool
    unrated_reason: str
    result: str
    termination: str
    ended_at: datetime | None

    @classmethod
    def of(cls, one: Any) -> End:
        """Return the end of a game, of a game row, or of a stored end."""
        return cls(*(getattr(one, name) for name in cls._fields))


def sent_end_of(game: Game) -> End:
    """Return the end of a game as its server sent it, even if the office has changed it since."""
    return End.of(getattr(game, "sent_end", game))


def lock_game(**which: Any) -> Game | None:
    """Lock a game and return it with its names; others who want to change it wait."""
    locked = Game.objects.only("pk").select_for_update(no_key=True).filter(**which).first()
    # Players and sent end are read after locking: joined, they would be from before the wait.
    return locked and Game.objects.with_names().select_related("sent_end").get(pk=locked.pk)


def lock_games(keys: Sequence[int]) -> dict[int, Game]:
    """Lock games and return them with names and sent ends; ``heard``: events of presence are known."""
    for some in batches(keys):
        Game.objects.filter(pk__in=some).lock()
    games = Game.objects.with_names().select_related("sent_end")
    heard = Exists(PresenceEvent.objects.filter(game=OuterRef("pk")))
    return games.annotate(heard=heard).in_bulk(keys)


def lock_own_game(external_id: str) -> Game | None:
    """Lock a server's game by its id, also if it is known by another one, and return it with its names."""
    return lock_game(external_id=external_id) or lock_game(external_id=stored_id(external_id))


def is_complete(heard: Sequence[PresenceEvent]) -> bool:
    """Return whether the server's events, numbered 1, 2, 3 …, are complete."""
    return all(one.sequence == number for number, one in enumerate(heard, 1))


def known_until(heard: Sequence[PresenceEvent], at: datetime) -> datetime:
    """Return the moment of the server's clock up to which all events must have arrived.

    It is the later of two moments: the last event with none missing before it, and the server's current clock
    less the grace for events that are still on their way. ``heard``: in order of sequence, at least one.
    """
    grace = timedelta(seconds=settings.PRESENCE_GRACE)
    known = [one.at for number, one in enumerate(heard, 1) if one.sequence == number]
    known += [one.at + (at - one.received_at) - grace for one in heard if at - one.received_at >= grace]
    return max(known, default=heard[0].at)


def loss_of(game: Game, sent: End, *, at: datetime, told_of_end: bool = False) -> Loss | None:
    """Return who has lost a game by RBB 2.4, as far as is known at a moment.

    Only rated games are lost by 2.4; for a casual or aborted game the server's end counts. ``told_of_end``:
    the server has just reported the end, so nobody came back before it, unless events are missing.
    """
    if not sent.rated:
        return None
    heard = list(game.presence.all())
    if not heard:
        return None
    until = known_until(heard, at)
    if told_of_end and sent.ended_at is not None and is_complete(heard):
        until = max(until, sent.ended_at)
    return loss([one.event for one in heard], known_until=until, ended_at=sent.ended_at)


def settle(game: Game, *, at: datetime) -> None:
    """End a locked game as RBB 2.4 says, or as its server sent it if nobody has lost by 2.4."""
    sent = sent_end_of(game)
    if game.voided_at is not None or _decided_by_staff(game, sent):
        return
    lost = loss_of(game, sent, at=at)
    if lost is not None and lost.at > at:
        # The server's clock is ahead, and a game can't end in the future.
        look_again_at(game, lost.at)
    else:
        bring_to_end(game, sent, lost)


def bring_to_end(game: Game, sent: End, lost: Loss | None) -> None:
    """End a locked game like this: as a fact if it is in progress, otherwise as a recorded correction.

    Raises ValidationError if the game can't end like this.
    """
    end = sent if lost is None else _lost(game, sent, lost)
    kept = hasattr(game, "sent_end")
    if lost is not None or kept:
        SentEnd.objects.update_or_create(game=game, defaults=sent._asdict())
    if end == End.of(game):
        return
    if game.ended_at is None:
        set_end(game, end)
        give_reason(game, "RBB 2.4" if lost else "")
        game.told_by_server = lost is None
        game.save()
    else:
        _correct(game, end)


def look_again_at(game: Game, moment: datetime) -> None:
    """Let the worker check a game just after this moment."""
    look_again.using(run_after=moment + timedelta(milliseconds=1)).enqueue(game.pk)


@task()
@repeatable
def look_again(game: int) -> None:
    """Check whether a game has ended by RBB 2.4."""
    _look(game, timezone.now())


def settle_all(at: datetime) -> None:
    """Check all games whose events may have been missed, even if the worker was interrupted."""
    heard = PresenceEvent.objects.filter(game=OuterRef("pk"))
    in_progress = Game.objects.filter(Exists(heard), ended_at=None, voided_at=None).order_by()
    lately = PresenceEvent.objects.filter(received_at__gt=at - _LATE).order_by()
    games = {*in_progress.values_list("pk", flat=True), *lately.values_list("game", flat=True)}
    for game in sorted(games):
        try:
            _look(game, at)
        except Exception:
            _logger.exception("game %d could not be settled", game)
    done = DBTaskResult.objects.filter(task_path=look_again.module_path, status=TaskResultStatus.SUCCESSFUL)
    done.delete()


@transaction.atomic
def _look(key: int, at: datetime) -> None:
    # It may have been deleted meanwhile.
    if game := lock_game(pk=key):
        settle(game, at=at)


def _lost(game: Game, sent: End, lost: Loss) -> End:
    """Return the end by RBB 2.4: unrated if both left at the same instant, or hadn't moved (B.02 5.1)."""
    end = End(sent.rated, sent.unrated_reason, lost.result, lost.termination, lost.at)
    if not end.rated:
        return end
    ended = copy(game)
    set_end(ended, end)
    unmet = ended.unmet_conditions()
    return end._replace(rated=False, unrated_reason="; ".join(map(str, unmet))) if unmet else end


def set_end(game: Game, end: End) -> None:
    """Set the end of a game."""
    for name, value in end._asdict().items():
        setattr(game, name, value)


def _decided_by_staff(game: Game, sent: End) -> bool:
    """Return whether staff changed the end that the server sent or RBB 2.4 gave; such an end is kept."""
    if game.ended_at is None or End.of(game) == sent:
        return False
    gone = game.presence.filter(what=What.GONE, at=game.ended_at - LONGEST)
    return game.termination not in _BY_PRESENCE or not gone.exists()


def _correct(game: Game, end: End) -> None:
    """Change the end of a finished game, as a decision that the register shows."""
    corrected = copy(game)
    set_end(corrected, end)
    decide_at_once(
        Proposal(
            kind=kind_of("correct-game"),
            parameters={"game": [str(game.pk)], **parameters_of(corrected, GAME_FIELDS)},
            system_user="RBB 2.4",
            reason=PublicReason.RESULT_CORRECTED,
            note="What the server told later of who was gone.",
        )
    )
    game.refresh_from_db()
