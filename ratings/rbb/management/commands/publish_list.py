"""``publish_list``: freeze the lists of a month (RBB 1.4)."""

from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from foa.text import counted, utc
from ratings.office.command import DecisionCommand
from ratings.rules.time_controls import Category


class Command(DecisionCommand):
    help = """Publish the rating lists of a month: the ratings at 00:00 UTC on its first day, frozen.

Publishing a month twice changes nothing. If a later correction affects a list, --revise publishes a new
revision beside it. A published list itself never changes. Either all lists of the month are published or
none.
"""

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--month", metavar="YYYY-MM", help="month of the lists; default: the current month"
        )
        parser.add_argument(
            "--category", choices=[category.slug for category in Category], help="only this category"
        )
        parser.add_argument(
            "--revise",
            action="store_true",
            help="publish a new revision of each list that a correction changed",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        slug = options["category"]
        effect = self.decide(
            "publish-lists",
            options,
            month=options["month"] if options["month"] is not None else f"{timezone.now():%Y-%m}",
            category=[slug] if slug else [category.slug for category in Category],
            revise=options["revise"],
        )
        for one in effect.result:
            published = one.listed
            already = f", already published on {utc(published.published_at)}."
            self.say(
                f"{published}: {counted(published.members, 'member')}"
                + ("." if one.will_be_published else already)
            )
