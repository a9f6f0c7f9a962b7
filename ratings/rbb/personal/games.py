"""The games of a member. They stay with both players; whatever names the player in them is removed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from django.db.models import Q

from ratings.office.personal import AT_ONCE, Erasing, Person, PersonalData, Table, fitting, personal, table
from ratings.rbb.models import Game

_TEXTS: Final = ("unrated_reason", "termination_word", "void_reason", "void_note")
_TAG: Final = r'^[ \t]*\[{colour}{more}\s+"(?:[^"\\\n]|\\.)*"\][ \t]*(?:\r?\n)?'


@personal
class Games(PersonalData):
    """Games with either colour, and their histories."""

    relations = ("ratings.Game.white", "ratings.Game.black")

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
