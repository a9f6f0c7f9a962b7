"""Consistency checks of a report: pairings, points, dates, and references between records."""

import re
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Final

from ratings.formats.problems import Findings, shown
from ratings.formats.trf.scoring import Scoring, points_text, scoring_of
from ratings.formats.trf.time_controls import stages_of
from ratings.formats.trf.tournament import (
    BYES,
    PLANNED_ROUNDS,
    PLAYED,
    Pairing,
    Player,
    Record,
    Result,
    Team,
    Tournament,
    is_ambiguous,
    start_and_end,
)
from ratings.rules.federations import FEDERATIONS

_ONE_WAY: Final = ("10", "==", "+-", "--", "WL", "DD", "LL", "  ")
_AGREE: Final = frozenset(
    (Result(a), Result(b)) for one, other in _ONE_WAY for a, b in ((one, other), (other, one))
)
"""Results of a pairing's two sides that agree without a penalty. Both sides can lose an unplayed game."""

_COUNT: Final = re.compile("[0-9]{1,5}")
_NUMBER: Final = re.compile("[0-9]{1,4}")
_ONLY_ONCE: Final = ("012", "042", "052", "132")


def check(tournament: Tournament, illegible: set[int], findings: Findings) -> None:
    """Report all inconsistencies. ``illegible``: start ranks of players with a round that can't be read."""
    is_legible = not findings.problems
    players: dict[int, Player] = {}
    with_id: dict[int, Player] = {}
    for player in tournament.players:
        if player.fide_id and (same := with_id.setdefault(player.fide_id, player)) is not player:
            findings.refuse(player.line, f"FIDE ID {player.fide_id} is also on line {same.line}")
        first = players.setdefault(player.start_rank, player)
        if first is not player:
            illegible.add(player.start_rank)
            findings.refuse(player.line, f"start rank {player.start_rank} is also on line {first.line}")
    for player in tournament.players:
        _check_pairings(player, players, illegible, findings)
    _check_points(tournament, illegible, findings)
    _check_dates(tournament, findings)
    _check_counts(tournament, is_legible and _names_missing(tournament), findings)
    _check_references(tournament, players, findings)


def _check_pairings(
    player: Player, players: Mapping[int, Player], illegible: set[int], findings: Findings
) -> None:
    start_rank, line = player.start_rank, player.line
    alone = []
    for place, pairing in enumerate(player.rounds):
        number = pairing.opponent
        if number is None:
            if pairing.result not in BYES:
                alone.append(str(place + 1))
            continue
        opponent = players.get(number)
        if number == start_rank:
            findings.refuse(line, f"round {place + 1}: the player is paired with themselves ({number})")
        elif opponent is None:
            findings.refuse(
                line, f"round {place + 1}: the opponent is {number}, but no player has this start rank"
            )
        elif start_rank in illegible or number in illegible:
            continue
        elif opponent.rounds[place].opponent != start_rank:
            theirs = opponent.rounds[place].opponent
            findings.refuse(
                line,
                f"round {place + 1}: the opponent is {number}, but {number} (line {opponent.line}) has "
                f"{'no opponent' if theirs is None else f'the opponent {theirs}'}",
            )
        elif start_rank < number:
            _check_game(place + 1, player, pairing, opponent, opponent.rounds[place], findings)
    if alone:
        findings.remark(
            line,
            f"a result without an opponent in round {', '.join(alone)}; "
            "treated as a bye, which is never rated",
        )


def _check_game(
    number: int, player: Player, ours: Pairing, opponent: Player, theirs: Pairing, findings: Findings
) -> None:
    """Compare the two sides of a pairing."""
    against = f"round {number}: against {opponent.start_rank} (line {opponent.line})"
    played = (ours.result in PLAYED) + (theirs.result in PLAYED)
    if (ours.result, theirs.result) not in _AGREE and played != 2:
        said = f"{against} the result is {shown(ours.result)} here and {shown(theirs.result)} there"
        if played:
            findings.refuse(player.line, said)
        else:
            findings.remark(player.line, f"{said}; not rated, since neither was played")
    elif ours.result is Result.BLANK:
        findings.remark(player.line, f"{against} the result is missing; not rated")
    if ours.colour and ours.colour == theirs.colour:
        findings.refuse(player.line, f"{against} both have the colour {shown(ours.colour)}")
    elif ours.result in PLAYED and not (ours.colour and theirs.colour):
        findings.remark(player.line, f"{against} a colour is missing")


def _check_points(tournament: Tournament, illegible: set[int], findings: Findings) -> None:
    scoring = scoring_of(tournament)
    for record, text in scoring.misread:
        findings.remark(record.line, f"{record.tag}: {shown(text)} can’t be read as points; not used")
    unread = _unread(scoring)
    for player in tournament.players:
        if player.start_rank in illegible:
            continue
        total, usual = scoring.of(player), scoring.usual(player.rounds)
        if player.points is None:
            findings.remark(player.line, "no points, so the results can’t be compared with them")
            continue
        given = "the results give" if total == usual else "the results and record 299 give"
        said = f"{points_text(player.points)} points, but {given} {points_text(total)}"
        if player.points in (total, usual):
            if total != usual:
                findings.remark(
                    player.line,
                    f"{points_text(total)} points with record 299, {points_text(usual)} by the results; "
                    "ratings use the results",
                )
        elif scoring.explains(player):
            byes = sum(pairing.opponent is None for pairing in player.rounds)
            findings.remark(
                player.line,
                f"{said}; we assume that the difference is byes ({byes} without an opponent), which are "
                "never rated",
            )
        else:
            findings.refuse(player.line, said + unread)


def _unread(scoring: Scoring) -> str:
    """Return what could explain points that the results don't give: what can't be read of the records."""
    told = [f"{record.tag} (line {record.line}): {shown(text)}" for record, text in scoring.misread]
    return f"; not all of the points for each result could be read, {'; '.join(told)}" if told else ""


def _check_dates(tournament: Tournament, findings: Findings) -> None:
    lines: dict[str, int] = {}
    for record in tournament.headers:
        if lines.setdefault(record.tag, record.line) != record.line and record.tag in _ONLY_ONCE:
            findings.refuse(record.line, f"record {record.tag} is also on line {lines[record.tag]}")
        if record.tag in ("122", "222") and record.text.strip() and stages_of(record.text) is None:
            findings.remark(
                record.line, f"time control: {shown(record.text.strip())} can’t be read; not checked"
            )
    if not tournament.name:
        findings.refuse(lines.get("012", 1), "the name of the tournament is missing (record 012)")
    texts = tournament.header("042"), tournament.header("052")
    (start, end), days = start_and_end(*texts), tournament.round_dates
    if start is None:
        said = f"{shown(texts[0])} isn’t a date such as 2026/01/31" if texts[0] else "the date is missing"
        findings.refuse(lines.get("042", 1), f"start of the tournament: {said} (record 042)")
    if texts[1] and end is None:
        findings.refuse(
            lines.get("052", 1), f"end of the tournament: {shown(texts[1])} isn’t a date such as 2026/01/31"
        )
    elif not texts[1]:
        findings.remark(lines.get("052", 1), "the end of the tournament is missing (record 052)")
    if start and end and start > end:
        findings.refuse(lines.get("042", 1), f"the start, {start}, is after the end, {end}")
    if is_ambiguous(*texts):
        findings.remark(
            lines.get("042", 1), f"the dates can be read in more than one way; read as {start} to {end}"
        )
    known = [(number, day) for number, day in enumerate(days, 1) if day]
    if len(known) < len(days):
        findings.remark(lines["132"], "not every round has a date that can be read")
    for (before, earlier), (number, later) in pairwise(known):
        if later < earlier:
            findings.refuse(lines["132"], f"round {before}, {earlier}, is after round {number}, {later}")
    if days and len(days) != tournament.rounds:
        dates = _counted(len(days), "round date", "round dates")
        findings.remark(lines["132"], f"{dates} for {_counted(tournament.rounds, 'round')}")


def _counted(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or f'{one}s'}"


def _check_counts(tournament: Tournament, is_incomplete: bool, findings: Findings) -> None:
    """Compare the counts in the file (records 062, 072, 082, 142, XXR) with its contents.

    ``is_incomplete``: whether lines of players are missing.
    """
    rated = sum(player.rating is not None for player in tournament.players)
    counts = {
        "062": ("player", len(tournament.players)),
        "072": ("rated player", rated),
        "082": ("team", len(_teams(tournament.teams))),
    }
    for record in (*tournament.headers, *tournament.rest):
        match = _COUNT.match(record.text.strip())
        if match is None:
            continue
        if record.tag in counts and int(match[0]) != counts[record.tag][1]:
            what, count = counts[record.tag]
            told = f"{_counted(int(match[0]), what)}, but the file has {count}"
            if record.tag == "062" and int(match[0]) > count and is_incomplete:
                findings.refuse(record.line, f"{told}: it seems to be cut off")
            else:
                findings.remark(record.line, told)
        elif record.tag in PLANNED_ROUNDS and int(match[0]) < tournament.rounds:
            findings.remark(
                record.line, f"{_counted(int(match[0]), 'round')}, but the file has {tournament.rounds}"
            )


def _names_missing(tournament: Tournament) -> bool:
    """Return whether anybody is paired with a player whose line is missing."""
    met = {pairing.opponent for player in tournament.players for pairing in player.rounds}
    return bool(met - {None} - {player.start_rank for player in tournament.players})


def _check_references(tournament: Tournament, players: Mapping[int, Player], findings: Findings) -> None:
    """Check that teams and national lines name existing players. No ratings depend on it."""
    team_of: dict[int, int] = {}
    once = {team.line for team in _teams(tournament.teams)}
    for team in tournament.teams:
        for number in team.players:
            if number not in players:
                findings.remark(team.line, f"team: no player has the start rank {number}")
            elif team.line in once and team_of.setdefault(number, team.line) != team.line:
                findings.remark(
                    team.line, f"team: player {number} is also in the team on line {team_of[number]}"
                )
    for record in tournament.rest:
        if record.tag in ("260", "XXP") and not _forbids_pairing(record):
            findings.remark(
                record.line, f"{record.tag}: {shown(record.text)} doesn’t forbid any pairing; ignored"
            )
        elif record.tag in FEDERATIONS:
            text = record.text[:4].strip()
            if not _NUMBER.fullmatch(text) or int(text) not in players:
                findings.remark(record.line, f"{record.tag}: {shown(text)} isn’t a player’s number")


def _forbids_pairing(record: Record) -> bool:
    """Return whether a record names at least two players or teams; a 260 names two rounds before them."""
    words = record.text.split()
    rounds = 2 if record.tag == "260" else 0
    return len(words) >= rounds + 2 and all(map(_NUMBER.fullmatch, words))


def _teams(teams: Iterable[Team]) -> list[Team]:
    """Return each team once: in TRF26 record 310 replaces 013, and some files have both."""
    numbered = [team for team in teams if team.number is not None]
    names = {team.name.casefold() for team in numbered}
    squads = {frozenset(team.players) for team in numbered}
    return [
        team
        for team in teams
        if team.number is not None
        or (team.name.casefold() not in names and frozenset(team.players) not in squads)
    ]
