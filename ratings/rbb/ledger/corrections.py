"""Corrections of games by staff: voiding and reinstating, and whose ratings changed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from copy import copy
from datetime import datetime
from functools import partial
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from foa.history import name_author, note_changes
from foa.locking import lock_rows
from foa.monitoring.metrics import GAMES
from ratings.office import bulk
from ratings.office.models import OutboxEntry
from ratings.office.outbox import record_events
from ratings.rbb.labels import dates_text
from ratings.rbb.ledger.replay import deferred
from ratings.rbb.ledger.summaries import ReplaySummary
from ratings.rbb.models.eligibility import eligibility_of
from ratings.rbb.models.games import Game, ask_about
from ratings.rbb.same_game import POSSIBLY_SAME, pairs_likely_same
from ratings.rules.rbb.conditions import NOT_FULL, Account, why_not_played
from ratings.rules.rbb.terminations import Termination

Accounts = Mapping[int, Account]

_CORRECTED: Final = (
    "rated",
    "unrated_reason",
    "voided_at",
    "voided_by_id",
    "void_reason",
    "void_note",
    "possibly_same_id",
)


def void_games(*, games: Iterable[Game], by: Any, reason: str, at: datetime, note: str = "") -> ReplaySummary:
    """Void games; ``moved`` of the result names all members whose ratings changed.

    ``reason`` is shown to members: one of the office's, or free text; ``note`` is for staff. Either all games
    are voided or none, in one replay. A game under a closure gets the closure's reason. Raises
    ValidationError if the reason is missing or too long, or if a game is already void.
    """
    reason = _sound(reason)

    def voided(game: Game, accounts: Accounts) -> None:
        if game.voided_at is not None:
            raise ValidationError(_("%(game)s is already void.") % {"game": game})
        if game.rated and (closures := game.closures(accounts)):
            game.become_void(closures[0][1])
        else:
            game.voided_at, game.void_reason, game.void_note = at, reason, note
        game.voided_by = by

    return _correct(games, by, note or reason, voided)


def reinstate_games(*, games: Iterable[Game], by: Any, reason: str) -> ReplaySummary:
    """Reinstate void games, each in its old place, either all or none; ``reason`` is for staff.

    Raises ValidationError as :func:`void_games` does, and if a game isn't void, can't be rated, or is covered
    by a closed account.
    """

    def reinstated(game: Game, accounts: Accounts) -> None:
        if game.voided_at is None:
            raise ValidationError(_("%(game)s is not void.") % {"game": game})
        if game.rated and (closures := game.closures(accounts)):
            member, closure = closures[0]
            words = {"game": game, "player": game.player(member), "dates": dates_text(closure.span)}
            told = _("%(game)s stays void while the account of %(player)s is closed (%(dates)s).")
            raise ValidationError(told % words)
        game.become_void(None)

    return _correct(games, by, _sound(reason), reinstated)


@transaction.atomic
def abort_games(*, games: Iterable[Game], by: Any, at: datetime, reason: str) -> None:
    """End games in progress without a result, unrated. Games that have ended meanwhile are left alone."""
    for game in _locked(games):
        if game.ended_at is not None or game.voided_at is not None:
            continue
        if game.rated:
            game.rated, game.unrated_reason = False, why_not_played(None, Termination.ABORTED)
        game.termination, game.termination_word = Termination.ABORTED, ""
        game.ended_at = max(at, game.started_at)
        _save(game, by, reason)


@transaction.atomic
def resume_games(*, games: Iterable[Game], rated: Collection[int], by: Any, reason: str) -> None:
    """Put games that were ended without a result back in progress; ``rated``: keys of those to rate.

    Raises ValidationError for one that can't be rated.
    """
    for game in _locked(games):
        if not game.ended_unplayed or game.voided_at is not None:
            continue
        game.termination, game.ended_at = Termination.NORMAL, None
        if game.pk in rated:
            game.rated, game.unrated_reason = True, ""
        _save(game, by, reason)


def _locked(games: Iterable[Game]) -> list[Game]:
    """Return the games as now stored, locked against changes."""
    keys = [game.pk for game in games]
    lock_rows(Game.objects.only("pk"), keys)
    return list(Game.objects.filter(pk__in=keys).order_by("pk"))


def _save(game: Game, by: Any, reason: str) -> None:
    name_author(game, by, reason)
    game.save()


def _sound(reason: str) -> str:
    reason = reason.strip()
    if not reason:
        raise ValidationError(_("Enter a reason. It is kept in the game’s history."))
    if len(reason) > (longest := Game._meta.get_field("void_reason").max_length or 0):
        raise ValidationError(
            _("The reason has %(length)d characters; at most %(longest)d are allowed.")
            % {"length": len(reason), "longest": longest}
        )
    return reason


def rate_games(*, games: Iterable[Game], by: Any, reason: str) -> ReplaySummary:
    """Rate games that were unrated for lack of full membership, either all or none (RBB 2.1).

    Those covered by a closure become void. ``reason`` is for staff. Raises ValidationError for a game that
    isn't unrated for this reason, or can't be rated.
    """

    def rated(game: Game, accounts: Accounts) -> None:
        if game.rated or game.unrated_reason not in NOT_FULL:
            raise ValidationError(
                _("%(game)s isn’t unrated because a player lacked full membership.") % {"game": game}
            )
        game.rated, game.unrated_reason = True, ""

    return _correct(games, by, _sound(reason), rated)


def unrate_games(*, games: Mapping[Game, str], by: Any, reason: str) -> ReplaySummary:
    """Unrate games, each for the given lack of full membership, either all or none (RBB 2.1).

    ``reason`` is for staff. Raises ValidationError for a game that isn't rated and doesn't wait to be told
    from another.
    """
    why = {game.pk: lacking for game, lacking in games.items()}

    def unrated(game: Game, accounts: Accounts) -> None:
        if not (game.rated or game.waits):
            raise ValidationError(_("%(game)s is not rated.") % {"game": game})
        if game.waits:
            game.possibly_same = None
        game.rated, game.unrated_reason = False, why[game.pk]

    return _correct(games, by, _sound(reason), unrated)


def rate_other_games(*, games: Iterable[Game], by: Any, reason: str) -> ReplaySummary:
    """Rate games that were unrated because they are possibly stored ones, either all or none (RBB 3.11).

    Raises ValidationError for a game that isn't unrated for this reason, or can't be rated.
    """

    def rated(game: Game, accounts: Accounts) -> None:
        if not game.waits:
            raise ValidationError(
                _("%(game)s isn’t waiting for a decision on whether it is another report of a stored game.")
                % {"game": game}
            )
        game.rated, game.unrated_reason = True, ""

    return _correct(games, by, _sound(reason), rated)


def compare_games_of(*, members: Collection[int], by: Any, reason: str) -> tuple[list[Game], list[Game]]:
    """Compare the games of members again, because accounts were merged or separated.

    Return the games that are unrated until somebody has told them from another, and those that are rated
    since other people played the other game.
    """
    games = Game.objects.filter(Q(white__in=members) | Q(black__in=members))
    freed = list(games.to_tell_apart().second_reports_of_others().order_by("pk"))

    def freed_of_question(game: Game, accounts: Accounts) -> None:
        why = "; ".join(map(str, game.unmet_conditions(accounts)))
        game.possibly_same, game.rated, game.unrated_reason = None, not why, why

    _correct(freed, by, reason, freed_of_question)
    first_of: dict[int, int] = {}
    told_apart = set(games.exclude(possibly_same=None).values_list("pk", "possibly_same"))
    for first, second in sorted(pairs_likely_same(games.counting())):
        if not {first, second} & first_of.keys() and not {(first, second), (second, first)} & told_apart:
            first_of[second] = first

    def asked(game: Game, accounts: Accounts) -> None:
        game.possibly_same_id, game.rated, game.unrated_reason = first_of[game.pk], False, POSSIBLY_SAME

    unrated = list(Game.objects.filter(pk__in=first_of).order_by("pk"))
    _correct(unrated, by, reason, asked)
    changed = (
        Game.objects.with_names().filter(pk__in=[*first_of, *(game.pk for game in freed)]).order_by("pk")
    )
    return list(changed.to_tell_apart()), list(changed.filter(rated=True))


def ask_about_games(*, games: Iterable[Game], by: Any, reason: str) -> ReplaySummary:
    """Take back what was decided about games that are possibly stored ones: unrated, and not void."""

    def asked(game: Game, accounts: Accounts) -> None:
        game.become_void(None)
        game.rated, game.unrated_reason = False, POSSIBLY_SAME

    return _correct(games, by, _sound(reason), asked)


def _correct(
    games: Iterable[Game], by: Any, note: str, correct: Callable[[Game, Accounts], None]
) -> ReplaySummary:
    """Correct games together with their histories; ``correct`` refuses a game with a ValidationError.

    It gets each game and the accounts of all players, read after locking. A deleted game is refused, too, so
    the caller learns what happened to each game.
    """
    keys = [game.pk for game in games]
    faults: list[str] = []
    before, after = [], []
    alike: defaultdict[tuple[Any, ...], list[int]] = defaultdict(list)
    with deferred() as work, transaction.atomic():
        lock_rows(Game.objects.only("pk"), keys)
        stored = Game.objects.with_names().filter(pk__in=keys).order_by("pk")
        accounts = eligibility_of({player for game in stored for player in (game.white_id, game.black_id)})
        for game in stored:
            stood = copy(game)
            try:
                correct(game, accounts)
            except ValidationError as error:
                faults += error.messages
                continue
            try:
                game.clean(asks=False)
            except ValidationError as error:
                faults += [
                    _("%(game)s: %(fault)s") % {"game": game, "fault": fault} for fault in error.messages
                ]
            before.append(stood)
            after.append(game)
        if faults:
            raise ValidationError(faults)
        ask_about([game for game in after if game.is_news])
        for game in after:
            alike[tuple(getattr(game, name) for name in _CORRECTED)].append(game.pk)
        for values, some in alike.items():
            for batch in bulk.batches(some):
                Game.objects.filter(pk__in=batch).update(**dict(zip(_CORRECTED, values, strict=True)))
        note_changes(before, after, by=by, reason=note)
        record_events(
            OutboxEntry.Event.GAME_VOIDED,
            [
                game.pk
                for stood, game in zip(before, after, strict=True)
                if game.voided_at and not stood.voided_at
            ],
        )
        transaction.on_commit(partial(GAMES.inc, len(after)))
    return work.summary
