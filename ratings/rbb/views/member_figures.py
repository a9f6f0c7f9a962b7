"""Further pages of a member: statistics, progress towards titles, and the rooms' facts about them."""

from __future__ import annotations

from typing import Any, NamedTuple

from django.core.cache import cache
from django.db.models import Count

from foa.web.deprecation import JSON_GOES, Deprecation
from members.models import Member
from ratings.office.page_sections import Page, sections_of
from ratings.rbb import profile
from ratings.rbb.lists.distribution import list_distribution
from ratings.rbb.models import RatingListEntry, TimeControl
from ratings.rbb.models.fields import EventType
from ratings.rbb.profile import Results, Statistics
from ratings.rbb.views.distribution import DistributionChart, chart
from ratings.rbb.views.member_page import MemberPage, latest_entries, results_json
from ratings.rules.time_controls import Category

_SECONDS = 3600


class StatisticsView(MemberPage):
    """Results by colour, time control and the opponents' strength; records; frequent opponents."""

    template_name = "ratings/profile_statistics.html"
    tab = "profile_statistics"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the statistics of each category in which they have played."""
        context = super().get_context_data(**kwargs)
        found = self.figures.summary
        played = [one for one in found.statistics if one.results.both.games]
        beaten = {one.best_win.opponent_id for one in played if one.best_win}
        members = Member.everybody.in_bulk({*beaten, *(pk for pk, _ in found.opponents)})
        controls = self._by_control()
        standings = {standing.category: standing for standing in found.standings}
        entries = latest_entries(self.object, self.now)
        return context | {
            "statistics": [
                {
                    "found": one,
                    "standing": standings[one.category],
                    "place": _place(entries.get(one.category)),
                    "beaten": one.best_win and members.get(one.best_win.opponent_id or 0),
                    "controls": [
                        (control, results)
                        for control, results in controls
                        if control.category == one.category
                    ],
                }
                for one in played
            ],
            "opponents": [(members[pk], results) for pk, results in found.opponents],
        }

    def _by_control(self) -> list[tuple[TimeControl, Results]]:
        """Return results by time control, most frequent first, cached like the other figures."""
        name = f"{self.figures.name}:controls"
        counted: dict[int, Results] | None = cache.get(name) if self.figures.name else None
        if counted is None:
            changes = self.object.rating_changes.of_kind(EventType.GAME)
            if self.as_of is not None:
                changes = changes.until(self.as_of)
            rows = changes.order_by().values_list("game__time_control", "half_points")
            counted = profile.results_by_key(rows.annotate(number=Count("pk")))
            if self.figures.name:
                cache.set(name, counted, _SECONDS)
        controls = TimeControl.objects.in_bulk(list(counted))
        return sorted(
            ((controls[key], results) for key, results in counted.items()), key=lambda one: -one[1].games
        )

    def own_json(self, context: dict[str, Any]) -> dict[str, Any]:
        """Return the page's figures by category."""
        return {
            "statistics": {
                one["found"].category.slug: _statistics_json(one["found"])
                | {
                    "percentile": one["place"] and one["place"].percentile,
                    "time_controls": {
                        control.control.notation: _results_json(results)
                        for control, results in one["controls"]
                    },
                }
                for one in context["statistics"]
            },
            "opponents": [
                {"member": who.username, **_results_json(results)} for who, results in context["opponents"]
            ],
        }


class TitlesView(MemberPage):
    """A member's progress towards each of the arena's titles, by category."""

    template_name = "ratings/profile_titles.html"
    tab = "profile_titles"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add four titles for each category, highest first."""
        context = super().get_context_data(**kwargs)
        titles = self.figures.summary.titles
        return context | {
            "progress": [
                (category, [(rating, in_categories[number]) for _title, rating, in_categories in titles])
                for number, category in enumerate(Category)
            ]
        }

    def json_deprecated(self) -> Deprecation | None:
        """Return that the API has it, of today; a past moment is only here."""
        if "as_of" in self.request.GET:
            return None
        return Deprecation(*JSON_GOES, "arena:member_titles", {"username": self.object.username})

    def own_json(self, context: dict[str, Any]) -> dict[str, Any]:
        """Return the progress by category and title."""
        return {
            "titles": {
                category.slug: {
                    one.title: {
                        "rating": rating,
                        "games_in_a_row": one.current,
                        "longest": one.best,
                        "needed": one.needed,
                    }
                    for rating, one in titles
                }
                for category, titles in context["progress"]
            }
        }


class OverTheBoardView(MemberPage):
    """FIDE ratings, tournaments and leagues: each room's present facts about the member."""

    template_name = "ratings/profile_otb.html"
    tab = "profile_otb"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the rooms' sections. They are about today, so a page for a past moment has none."""
        context = super().get_context_data(**kwargs)
        return context | {
            "parts": list(sections_of(Page.OVER_THE_BOARD, self.object)) if self.as_of is None else []
        }

    def own_json(self, context: dict[str, Any]) -> dict[str, Any]:
        """Return each room's facts, by its name."""
        parts = [dict(part.context) for part in context["parts"]]
        return {"over_the_board": {part.pop("source"): part for part in parts}}


class Place(NamedTuple):
    """A published rating among all on its list; ``percentile``: per cent of members with a lower one."""

    entry: RatingListEntry
    percentile: int | None
    chart: DistributionChart


def _place(entry: RatingListEntry | None) -> Place | None:
    if entry is None:
        return None
    found = list_distribution(entry.rating_list)
    return Place(entry, found.percentile(entry.displayed), chart(found, entry.displayed))


def _results_json(results: Results) -> dict[str, Any]:
    return {**results_json(results), "percent": results.percent}


def _statistics_json(found: Statistics) -> dict[str, Any]:
    records = found.records
    return {
        "results": {
            "all": _results_json(found.results.both),
            "white": _results_json(found.results.white),
            "black": _results_json(found.results.black),
        },
        "games_not_counted": found.uncounted,
        "by_opponents_rating": [_band_json(band) for band in found.bands],
        "best_win": found.best_win and {"game": found.best_win.game_id, "rating": found.best_win_rating},
        "records": {
            "longest_winning_run": records.winning and records.winning.games,
            "longest_unbeaten_run": records.unbeaten and records.unbeaten.games,
            "largest_gain": records.most_gained,
            "most_games_in_a_day": records.busiest and records.busiest[1],
        },
    }


def _band_json(band: profile.Band) -> dict[str, Any]:
    return {
        "lowest": band.lowest,
        "highest": band.highest,
        "games": band.games,
        "score": band.score,
        "expected": band.expected,
    }
