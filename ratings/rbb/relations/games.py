"""The games of a member. They stay with both players; whatever names the player in them is removed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from django.db.models import Q

from foa.said import gettext as _
from ratings.office.bulk import batches
from ratings.office.personal import AT_ONCE, Erasing, Person, Table, fitting, table
from ratings.office.relations import Declaration, Merging
from ratings.rbb.models import Game

SAME_PERSON: Final = "White and Black are the same person"
"""Reason why a game is unrated whose two players were merged. Members see it, like texts from files."""

_TEXTS: Final = ("unrated_reason", "termination_word", "void_reason", "void_note")
_TAG: Final = r'^[ \t]*\[{colour}{more}\s+"(?:[^"\\\n]|\\.)*"\][ \t]*(?:\r?\n)?'


class Games(Declaration):
    """Games with either colour, and their histories.

    Games between two merged accounts become unrated.
    """

    relations = ("ratings.Game.white", "ratings.Game.black")
    kept_as = "Games"

    def merge(self, work: Merging) -> Any:
        """Move the games; return them by colour, with the rated ones between the two."""
        member, other = work.member, work.other
        Game.objects.of(other.pk).lock()
        between = Q(white=member, black=other) | Q(white=other, black=member)
        own = dict(
            Game.objects.filter(between, rated=True).order_by("pk").values_list("pk", "unrated_reason")
        )
        for game in Game.objects.with_names().filter(pk__in=own).order_by("ended_at", "pk"):
            told = _("%(game)s: they played against each other. The game becomes unrated.") % {"game": game}
            work.warn(f"game {game.pk}", told)
        _change(work, list(own), rated=False, unrated_reason=SAME_PERSON)
        kept: dict[str, Any] = {"own": list(own.items())}
        for colour in ("white", "black"):
            games = Game.objects.filter(**{colour: other}).exclude(between).order_by("pk")
            kept[colour] = list(games.values_list("pk", flat=True))
            _change(work, kept[colour], **{colour: member})
        if number := len(kept["white"]) + len(kept["black"]):
            work.tell_moved(Game, "players", number)
        return kept

    def give_back(self, work: Merging, kept: Any) -> None:
        """Give back games that are still the member's, and those between the two that are still unrated.

        Games that came under a name of the other since the merge go to them too.
        """
        gone = back = 0
        for colour in ("white", "black"):
            moved = set(kept[colour])
            came = work.arrived_besides(f"ratings.Game.{colour}", moved)
            for some in batches([*kept[colour], *came], AT_ONCE):
                Game.objects.filter(pk__in=some).lock()
                found = Game.objects.filter(pk__in=some, **{colour: work.member}).order_by("pk")
                keys = list(found.values_list("pk", flat=True))
                back += len(keys)
                gone += len(moved.intersection(some) - set(keys))
                _change(work, keys, **{colour: work.other})
        if back:
            work.tell_moved(Game, "players", back, back=True)
        if gone:
            work.tell_gone(Game, "players", gone)
        for key, reason in kept["own"]:
            Game.objects.filter(pk=key).lock()
            own = Game.objects.with_names().filter(pk=key, rated=False, unrated_reason=SAME_PERSON)
            for game in own:
                work.tell("inputs", f"game {key}", str(game), before="unrated", after="rated")
                _change(work, [key], rated=True, unrated_reason=reason)

    def tables(self, person: Person) -> Iterator[Table]:
        """Yield the games, with their moves."""
        columns = (
            "id",
            "external_id",
            "white__username",
            "black__username",
            "time_control__initial",
            "time_control__increment",
            "time_control__written",
            "rated",
            "unrated_reason",
            "result",
            "termination",
            "started_at",
            "ended_at",
            "voided_at",
            "void_reason",
            "event__name",
            "round",
            "url",
            "variant",
            "pgn",
        )
        yield table("games", _of(Game, person).order_by("started_at", "pk"), columns)
        noted = _of(Game, person).exclude(void_note="").order_by("pk")
        yield table("games-notes", noted, ("id", "void_note"), for_staff=True)

    def erase(self, work: Erasing) -> None:
        """Erase the player's tags, and their names in all other text."""
        for model, key in ((Game, "pk"), (Game.history.model, "history_id")):
            number = 0
            rows = _of(model, work.person).only(key, "white_id", "black_id", "pgn", *_TEXTS)
            for row in rows.order_by(key).iterator(AT_ONCE):
                number += _rewrite(row, work.person, key)
            work.tell_rows(model, number)


def without_player(pgn: str, colour: str, called: str) -> str:
    """Return a PGN with this name for one player (“White”, “Black”), without that player's other tags."""
    named = _TAG.format(colour=colour, more="")
    found = re.sub(named, lambda _tag: f'[{colour} "{called}"]\n', pgn, flags=re.M)
    return re.sub(_TAG.format(colour=colour, more=r"\w+"), "", found, flags=re.M)


def _of(model: Any, person: Person) -> Any:
    return model._base_manager.filter(Q(white__in=person.keys) | Q(black__in=person.keys))


def _rewrite(row: Any, person: Person, key: str) -> bool:
    called, keys = person.called, person.keys
    pgn = row.pgn
    for colour, player in (("White", row.white_id), ("Black", row.black_id)):
        if pgn and player in keys:
            pgn = without_player(pgn, colour, f"withdrawn-{player}")
    now = {"pgn": called.out_of(pgn)}
    now |= {name: fitting(row, name, called.out_of(getattr(row, name))) for name in _TEXTS}
    changed = {name: text for name, text in now.items() if text != getattr(row, name)}
    if changed:
        type(row)._base_manager.filter(**{key: getattr(row, key)}).update(**changed)
    return bool(changed)


def _change(work: Merging, keys: list[int], **values: Any) -> None:
    """Change games together, with their histories."""
    for some in batches(keys, AT_ONCE):
        work.change(Game.objects.filter(pk__in=some).order_by("pk"), **values)
