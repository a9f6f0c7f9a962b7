"""Personal data in the league: the member's players, and their lines of its lists."""

from __future__ import annotations

from collections.abc import Iterator

from ratings.league.models import Board, CycleList, CycleResult, Player, SquadPlayer
from ratings.office.personal import Erasing, Person, Table, table
from ratings.office.relations import Relation, Text, declare


class LeaguePlayers(Relation):
    """Players of the member. They stay in squads and on boards, so that the others' ratings stay.

    The league's figures belong to players, so a merge moves none.
    """

    def tables(self, person: Person) -> Iterator[Table]:
        """Yield squads, boards and lines of lists."""
        players = list(Player.objects.filter(member__in=person.keys).values_list("pk", flat=True))
        squads = SquadPlayer.objects.filter(player__in=players).order_by("pk")
        yield table("league-squads", squads, ("season__name", "team__name", "rating", "games"))
        for side in ("home", "away"):
            boards = Board.objects.filter(**{f"{side}_player__in": players}).order_by("pk")
            columns = ("match__season__name", "match__round", "number", "result")
            yield table(f"league-boards-{side}", boards, columns)
        lines = CycleResult.objects.filter(player__in=players).order_by("pk")
        yield table("league-lines", lines, ("cycle_list", "name", "old", "new", "counted", "half_points"))

    def erase(self, work: Erasing) -> None:
        """Erase the name, also on published lists, which then say that their file has changed."""
        players = list(Player.objects.filter(member__in=work.person.keys))
        for one in players:
            name = f"Withdrawn member {one.member_id}"
            Player.objects.filter(pk=one.pk).update(name=name)
            lines = CycleResult.objects.filter(player=one)
            CycleList.objects.filter(results__in=lines).update(withdrawn_at=work.at)
            lines.update(name=name)
        work.tell_rows(Player, len(players))


declare(
    LeaguePlayers("league.Player.member", moves=True),
    Text("league.HistoricalSquadPlayer", "history_change_reason"),
    Text("league.HistoricalBoard", "history_change_reason"),
)
