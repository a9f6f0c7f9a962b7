"""Further pages of a member: statistics, progress towards titles, and the rooms' facts about them."""

from __future__ import annotations

from typing import Any

from foa.web.deprecation import Deprecation
from members.models import Member
from ratings.office.page_sections import Page, sections_of
from ratings.rbb import profile
from ratings.rbb.member_figures import member_statistics
from ratings.rbb.profile import Results, Statistics
from ratings.rbb.views.distribution import chart
from ratings.rbb.views.member_page import MemberPage, goes, results_json
from ratings.rules.time_controls import Category


class StatisticsView(MemberPage):
    """Results by colour, time control and the opponents' strength; records; frequent opponents."""

    template_name = "ratings/profile_statistics.html"
    tab = "profile_statistics"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the statistics of each category in which they have played."""
        context = super().get_context_data(**kwargs)
        played = member_statistics(self.object, self.figures, self.now, self.as_of)
        opponents = self.figures.summary.opponents
        beaten = {one.found.best_win.opponent_id for one in played if one.found.best_win}
        members = Member.everybody.in_bulk({*beaten, *(pk for pk, _ in opponents)})
        return context | {
            "statistics": [
                {
                    **one._asdict(),
                    "beaten": one.found.best_win and members.get(one.found.best_win.opponent_id or 0),
                    "chart": one.place and chart(one.place.distribution, one.place.entry.displayed),
                }
                for one in played
            ],
            "opponents": [(members[pk], results) for pk, results in opponents],
        }

    def json_deprecated(self) -> Deprecation:
        """Return that the API has it."""
        return goes(self.object, "arena:member_statistics")

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

    def json_deprecated(self) -> Deprecation:
        """Return that the API has it."""
        return goes(self.object, "arena:member_titles")

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

    def json_deprecated(self) -> Deprecation:
        """Return that the API has it."""
        return goes(self.object, "arena:member_over_the_board")

    def own_json(self, context: dict[str, Any]) -> dict[str, Any]:
        """Return each room's facts, by its name."""
        parts = [dict(part.context) for part in context["parts"]]
        return {"over_the_board": {part.pop("source"): part for part in parts}}


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
