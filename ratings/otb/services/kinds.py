"""How a reported tournament was played: by the words of the report, or else by who met whom."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from django.db.models import IntegerChoices
from django.utils.translation import gettext_lazy as _

from ratings.formats import trf
from ratings.office.names import folded
from ratings.rules.b02.types import TournamentType

_WORDS: Final = (
    (TournamentType.TEAM, "TEAMS?|OLYMPIAD|SCHEVENINGEN|MANNSCHAFTS?[A-Z]*|EQUIPES?|EQUIPOS?|DRUZYN[A-Z]*"),
    (
        TournamentType.ROUND_ROBIN,
        "ROUND ?ROBIN|BERGER|ALL ?PLAY ?ALL|RUNDENTURNIER|KOLOW[A-Z]*|KAZDY Z KAZDYM",
    ),
    (TournamentType.SWISS, "SWISS|DUTCH|DUBOV|BURSTEIN|LIM|MONRAD|SCHWEIZER|SUISSE|SUIZO|SZWAJCAR[A-Z]*"),
    (TournamentType.MATCH, "MATCH|MECZ"),
)
"""The first that occurs decides: a Swiss of teams is a team tournament, an individual match a match."""


class KnownBy(IntegerChoices):
    """What says how a tournament was played."""

    ASKED = 1, _("as asked for")
    REGISTERED = 2, _("as registered")
    CODE = 3, _("by record 192")
    WORDS = 4, _("by record 092")
    TEAMS = 5, _("by the teams in the report")
    PAIRINGS = 6, _("by the pairings")


def kind_of(report: trf.Tournament) -> tuple[TournamentType, KnownBy]:
    """The kind of a tournament as far as its report tells, and by what.

    The words of records 192 and 092 count first: in many an individual tournament the report names teams too.
    Without any that are known, teams make a team tournament; two players have played a match; players of whom
    each met each equally often, a round robin; others a Swiss.
    """
    for tag, known_by in (("192", KnownBy.CODE), ("092", KnownBy.WORDS)):
        text = " ".join(re.findall("[A-Z]+", folded(report.header(tag))))
        for kind, words in _WORDS:
            if re.search(rf"\b(?:{words})\b", text):
                return kind, known_by
    if report.teams:
        return TournamentType.TEAM, KnownBy.TEAMS
    return _by_pairings(report), KnownBy.PAIRINGS


def _by_pairings(report: trf.Tournament) -> TournamentType:
    n = len(report.players)
    if n == 2:
        return TournamentType.MATCH
    met = Counter(
        (player.start_rank, pairing.opponent)
        for player in report.players
        for pairing in player.rounds
        if pairing.opponent is not None and player.start_rank < pairing.opponent
    )
    everybody = len(met) == n * (n - 1) // 2
    return TournamentType.ROUND_ROBIN if everybody and len(set(met.values())) == 1 else TournamentType.SWISS
