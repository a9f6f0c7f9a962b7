"""The audit of games and opening ratings as entered."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from functools import reduce
from operator import or_
from typing import Any, Final

from django.db.models import Count, Q
from django.db.models.functions import Lower
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from foa.text import duration, points, utc_text
from ratings.formats.pgn_entry import last_position
from ratings.formats.problems import shown
from ratings.office.audit import Finding, audited
from ratings.office.models import AuditedCheck, AuditFinding
from ratings.rbb.ledger.plausibility import early_openings, long_games, overlapping_games
from ratings.rbb.models import Game, TimeControl
from ratings.rbb.models.game_ids import id_key, ids_alike
from ratings.rbb.models.games import CLOCK_AHEAD
from ratings.rbb.models.same_game import pairs_likely_same
from ratings.rules.rbb.conditions import LOST, PLAYED, Account
from ratings.rules.rbb.plausibility import Doubt, longest
from ratings.rules.rbb.terminations import (
    POSSIBLE,
    ContradictsError,
    Termination,
    contradiction_of_moves,
    contradiction_of_word,
    termination_of,
)
from ratings.rules.time_controls import category_of

AT_ONCE: Final = 2_000
"""Number of rows that a check reads together."""

_UNMET: Final = gettext_noop("%(game)s, started %(moment)s: rated, but %(why)s.")
_FUTURE: Final = gettext_noop("%(game)s starts on %(moment)s, which is in the future.")
_TWICE: Final = gettext_noop("%(game)s, started %(moment)s, is stored more than once: games %(keys)s.")
_ALIKE: Final = gettext_noop(
    "%(game)s, started %(moment)s: games %(keys)s have ids that look the same: %(ids)s."
)
_TOO_LONG: Final = gettext_noop(
    "%(game)s, started %(moment)s, lasted %(lasted)s, but at %(control)s a game lasts %(longest)s at most."
)
_FORGOTTEN: Final = gettext_noop(
    "%(game)s, started %(moment)s, has no result, but at %(control)s a game lasts %(longest)s at most."
)
_OVERLAP: Final = gettext_noop(
    "%(game)s, started %(moment)s, overlaps another rated game of %(player)s: %(other)s."
)
_EARLY: Final = {
    Doubt.BEFORE_MEMBERSHIP: gettext_noop(
        "%(player)s has a first rating of %(rating)s from %(day)s, but was first a full member on %(first)s."
    ),
    Doubt.NEVER_A_MEMBER: gettext_noop(
        "%(player)s has a first rating of %(rating)s from %(day)s, but was never a full member."
    ),
}


@audited("games-not-played", "RBB 2.4", _("Rated games that were not played, or that the loser didn't lose"))
def games_not_played() -> Iterator[Finding]:
    """RBB 2.4, B.02 5.1: find games without a move by each side, not known as played, or won wrongly."""
    lost = reduce(or_, (Q(termination=gone) & ~Q(result=result) for gone, (result, _text) in LOST.items()))
    return _unmet(Q(plies__lt=2) | ~Q(termination__in=sorted(PLAYED)) | (lost & ~Q(result="")))


@audited("games-of-impossible-ends", "FIDE Laws 5", _("Rated games whose result contradicts how they ended"))
def games_of_impossible_ends() -> Iterator[Finding]:
    """Find results that the word for the end rules out: stalemate with a winner, a drawn checkmate."""
    by_end = reduce(or_, (Q(termination=end) & ~Q(result__in=some) for end, (some, _law) in POSSIBLE.items()))
    for game in each(Game.objects.counting().filter(by_end)):
        if found := contradiction_of_word(game.termination, game.result):
            yield of_game(game, _UNMET, {"why": str(found)}, **_void(game))


_LAST_POSITIONS: Final = "games-of-other-last-positions"


@audited(_LAST_POSITIONS, "FIDE Laws 5", _("Rated games whose result contradicts their last move"))
def games_of_other_last_positions() -> Iterator[Finding]:
    """Play stored games through, half a millisecond each: first all, in later audits only changed ones.

    Games that contradict themselves are refused on entry, so only older ones can be found here.
    """
    games: Any = Game.objects.counting().exclude(pgn="").order_by("pk")
    made = AuditedCheck.objects.filter(name=_LAST_POSITIONS).first()
    if made is not None:
        before = AuditFinding.objects.filter(check_name=_LAST_POSITIONS)
        keys = [int(key.removeprefix("game ")) for key in before.values_list("key", flat=True)]
        changed = Game.history.filter(history_date__gte=made.looked_at).values("id")
        since = made.looked_at - timedelta(days=1)
        games = games.filter(Q(ended_at__gte=since) | Q(pk__in=changed) | Q(pk__in=keys))
    for key, pgn, result, end in games.values_list("pk", "pgn", "result", "termination").iterator(AT_ONCE):
        last = last_position(pgn)
        if last and (found := contradiction_of_moves(end, result, last)):
            game = Game.objects.with_names().defer("pgn").get(pk=key)
            yield of_game(game, _UNMET, {"why": str(found)}, **_void(game))


@audited("games-of-other-controls", "RBB 2.3", _("Rated games at time controls that are not rated"))
def games_of_other_controls() -> Iterator[Finding]:
    """RBB 2.3: find them by look-up, regardless of what is stored for the time control."""
    controls = TimeControl.objects.all()
    return _unmet(Q(time_control__in=[one.pk for one in controls if category_of(one.control) is None]))


@audited("games-stored-twice", "RBB 3.11", _("Rated games that are likely stored twice"))
def games_stored_twice() -> Iterator[Finding]:
    """Find games with two ids about which nobody was asked. The decision that mends it voids the later ones.

    These are found where a game became rated after it was stored, or was stored by an earlier version.
    """
    of_first: dict[int, list[int]] = {}
    doubles: dict[int, int] = {}
    games: Any = Game.objects
    for first, second in sorted(pairs_likely_same(games.counting())):
        first = doubles.setdefault(second, doubles.get(first, first))
        of_first.setdefault(first, []).append(second)
    for key, others in of_first.items():
        found = {one.pk: one for one in games.filter(pk__in=[key, *others]).with_names().defer("pgn")}
        left = sorted({pk for pk in others if found[pk].possibly_same_id is None})
        if left:
            keys = [str(pk) for pk in left]
            words = {**_words(found[key]), "keys": ", ".join([str(key), *keys])}
            yield Finding(
                f"game {key}", _TWICE, words, found[key].get_absolute_url(), ("void-games", {"game": keys})
            )


@audited("games-with-ids-alike", "RBB 3.11", _("Rated games whose ids look the same"))
def games_with_ids_alike() -> Iterator[Finding]:
    """Find ids that differ only in case, width or invisible characters: perhaps one game, twice.

    A person has to check: some servers give two games ids that differ only in case.
    """
    games: Any = Game.objects.counting().exclude(external_id=None).order_by()
    alike = games.values(lower=Lower("external_id")).annotate(number=Count("pk")).filter(number__gt=1)
    keys = {id_key(lower) for lower in alike.values_list("lower", flat=True)}
    others: dict[str, list[str]] = {}
    for one in games.filter(external_id__regex="[^ -~]").values_list("external_id", flat=True):
        others.setdefault(id_key(one), []).append(one)
    in_ascii = ids_alike(Game, keys | others.keys())
    for key in sorted(keys | others.keys()):
        ids = {*others.get(key, ()), *in_ascii.get(key, ())}
        found = list(games.filter(external_id__in=ids).with_names().defer("pgn").order_by("pk"))
        if len(found) > 1:
            words = {
                "keys": ", ".join(str(one.pk) for one in found),
                "ids": ", ".join(shown(one.external_id) for one in found),
            }
            yield of_game(found[0], _ALIKE, words)


@audited("games-of-the-future", "RBB 3.11", _("Games that start in the future"))
def games_of_the_future() -> Iterator[Finding]:
    """Find games, in progress or finished, that start later than a server's clock may be ahead."""
    games = Game.objects.filter(started_at__gt=timezone.now() + CLOCK_AHEAD, voided_at=None)
    for game in each(games):
        yield of_game(game, _FUTURE, **_void(game))


@audited("games-too-long", "RBB 2.3", _("Rated games that lasted longer than their time control allows"))
def games_too_long() -> Iterator[Finding]:
    """Find games longer than both starting times, the increments and a tolerance."""
    for game, _doubt, words, _key in long_games():
        yield of_game(game, _TOO_LONG, words)


@audited("games-forgotten", "RBB 2.3", _("Games in progress for longer than their time control allows"))
def games_forgotten() -> Iterator[Finding]:
    """Find games whose end nobody has reported."""
    for game in each(Game.objects.forgotten(timezone.now())):
        control = game.time_control.control
        words = {"control": str(control), "longest": duration(longest(control, None))}
        yield of_game(game, _FORGOTTEN, words)


@audited("games-at-the-same-time", "RBB 3.11", _("Rated games of a player at the same time"))
def games_at_the_same_time() -> Iterator[Finding]:
    """Find games that began before the same player's earlier game had ended."""
    for game, _doubt, words, key in overlapping_games():
        yield of_game(game, _OVERLAP, words, key=key)


@audited("openings-before-membership", "RBB 3.4", _("First ratings of before full membership"))
def openings_before_membership() -> Iterator[Finding]:
    """Find opening ratings that take effect before the first day of full membership."""
    for opening, doubt, words, key in early_openings():
        address = reverse("admin:ratings_openingrating_change", args=(opening.pk,))
        yield Finding(key, _EARLY[doubt], {**words, "rating": points(opening.rating)}, address)


def each(games: Any) -> Iterator[Any]:
    """Yield games for findings in the order of their keys, some at a time."""
    return games.with_names().defer("pgn").order_by("pk").iterator(AT_ONCE)  # type: ignore[no-any-return]


def _unmet(condition: Q) -> Iterator[Finding]:
    """Find rated games that break section 2, apart from membership. Voiding them mends it."""
    for game in each(Game.objects.filter(condition, rated=True, voided_at=None)):
        full = Account([(game.started_at, None)])
        game.termination_word = game.termination_word or game.termination
        game.termination = _meant(game)
        if unmet := game.unmet_conditions({game.white_id: full, game.black_id: full}):
            yield of_game(game, _UNMET, {"why": "; ".join(map(str, unmet))}, **_void(game))


def _meant(game: Game) -> Termination:
    """Return the meaning of the stored word, even if it isn't one of the office's."""
    try:
        return termination_of(game.termination, game.result, game.plies)
    except ContradictsError:
        return Termination.UNKNOWN


def _void(game: Game) -> dict[str, Any]:
    return {"mends": ("void-games", {"game": [str(game.pk)]})}


def _words(game: Game) -> dict[str, str]:
    return {"game": str(game), "moment": utc_text(game.started_at)}


def of_game(game: Any, text: str, words: Any = None, *, key: str = "", mends: Any = None) -> Finding:
    """Return a finding about a game, with its name and start in the words."""
    return Finding(
        key or f"game {game.pk}", text, {**_words(game), **(words or {})}, game.get_absolute_url(), mends
    )
