"""``close_cycle``: rate the next cycle of a season and publish its list."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from foa.text import counted, signed
from ratings.league.management.seasons import season_named
from ratings.league.models import CycleResult
from ratings.league.services.cycles import next_cycle
from ratings.office.command import DecisionCommand


class Command(DecisionCommand):
    help = """Close the next rating cycle of a season: rate its rounds as one batch, using the ratings at its
start, and publish the list.

All rounds of the cycle have to be stored first. Everything happens in one transaction.
"""

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--season", metavar="S", required=True, help="name of the season")
        parser.add_argument(
            "--dry-run", action="store_true", help="show what would change, without changing anything"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        season, dry_run = season_named(options["season"]), options["dry_run"]
        cycle = next_cycle(season)
        if cycle is None:
            raise CommandError(f"All cycles of {season} are already closed.")
        published, results = self.decide("close-cycle", options, cycle=cycle.pk).result
        played = [one for one in results if one.counted]
        if dry_run:
            for one in played:
                self.say(_line(one))
        done = "would be published" if dry_run else "published"
        new = sum(one.captains_estimate for one in played)
        self.say(
            f"{published}: {done}. {counted(len(results), 'player')}, {len(played)} with games that count, "
            f"{new} of them new; {sum(one.new is None for one in results)} still unrated."
        )


def _line(one: CycleResult) -> str:
    before = "new" if one.captains_estimate else one.old
    adjusted = f", {signed(one.adjusted)} after the k adjustment" if one.adjusted != one.gain else ""
    change = f"{signed(one.gain)}{adjusted}"
    return f"  {one.name} ({one.team.name}): {before} → {one.new} ({change}), {counted(one.counted, 'game')}"
