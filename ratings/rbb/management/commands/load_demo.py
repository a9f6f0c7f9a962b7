"""``load_demo``: create a lifelike arena to look at."""

from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.module_loading import import_string

from foa.command import OfficeCommand
from foa.moments import beginning_of
from foa.text import counted
from members.models import FullMembership, Member
from ratings.office import rooms
from ratings.office.models import Demo
from ratings.rbb import demo
from ratings.rbb.ledger.game_files import import_games
from ratings.rbb.ledger.replay import deferred
from ratings.rbb.lists.publishing import publish
from ratings.rbb.lists.report import keep_reviews
from ratings.rbb.lists.settling import keep_spreads
from ratings.rbb.models import Game, OpeningRating
from ratings.rules.time_controls import Category


class Command(OfficeCommand):
    help = """Fill an empty database with a demo: 300 invented members and three years of games.

You get much the same arena every time, with moves and clocks, published lists, beginners in both stages of
RBB 3.6, and a player who fell below the floor. There are also FIDE rating lists of invented players, the
second of them announced, over-the-board tournaments, a league season, cases and decisions, as far as these
parts are installed. A database that already has members isn't changed.
"""

    def handle(self, *args: Any, **options: Any) -> None:
        """Create members, starting ratings, games and lists, all or nothing."""
        if Member.objects.exists():
            self.say("The database already has members. Nothing was changed.")
            return
        now = timezone.now()
        members = demo.demo_members(now)
        with transaction.atomic():
            Demo.objects.create(loaded_at=now)
            with deferred():
                stored = {
                    member.username: member
                    for member in Member.objects.bulk_create(
                        Member(
                            username=member.username,
                            name=member.name,
                            federation=member.federation,
                            sex=member.sex,
                            birth_year=member.birth_year,
                            title=member.title,
                        )
                        for member in members
                    )
                }
                FullMembership.objects.bulk_create(
                    FullMembership(member=stored[member.username], full_from=member.full_from)
                    for member in members
                )
                for member in members:
                    for category, points in member.opening.items():
                        OpeningRating.objects.create(
                            member=stored[member.username],
                            category=category,
                            rating=points,
                            effective_at=member.full_from,
                            source="demo: an earlier system",
                        )
            games = import_games(
                rows=demo.demo_games(members, now),
                source="demo",
                sha256="",
                at=now,
                on_refused=lambda problem: self.stderr.write(str(problem)),
            )
            arena = demo.DemoArena(members, stored, now)
            for back in reversed(range(demo.MONTHS)):
                month = beginning_of(arena.month(back))
                for category in Category:
                    publish(category=category, month=month, at=min(now, month + timedelta(hours=6)))
            for room in rooms.installed():
                if room.demo:
                    import_string(room.demo)(arena)
            keep_reviews()
            keep_spreads()
        self.say(
            f"{counted(Member.objects.count(), 'member')}, {counted(games.stored, 'game')} "
            f"({games.rated} rated), {Game.objects.count()} stored."
        )
