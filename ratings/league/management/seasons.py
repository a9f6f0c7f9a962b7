"""Shared parts of the league's commands."""

from argparse import ArgumentTypeError

from django.core.management.base import CommandError

from foa.text import number_in
from ratings.league.models import Season


def season_named(name: str) -> Season:
    seasons = Season.objects.select_related("league")
    found = seasons.filter(name=name.replace("\x00", "")).first()
    if found is None:
        there = ", ".join(one.name for one in seasons) or "none"
        raise CommandError(f"No season is called “{name}”. Seasons: {there}.")
    return found


def numbers(text: str) -> list[int]:
    """Parse whole numbers separated by commas."""
    found = [number_in(part.strip(), 9) for part in text.split(",")]
    if None in found:
        raise ArgumentTypeError(f"“{text}” aren’t numbers such as 5,10,11")
    return [number for number in found if number is not None]
