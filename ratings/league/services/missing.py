"""Finding matches and boards of a cycle that may still be missing although it can be closed."""

from __future__ import annotations

from django.utils.translation import gettext, ngettext

from ratings.league.models import Board, Cycle, Match, Season, Team
from ratings.league.services.cycles import rounds_of


def missing(cycle: Cycle) -> list[tuple[str, str]]:
    """Return a sentence for each round or match that may be incomplete, with its key.

    One team of an odd number has a bye, and others may be out of the playoffs; the office knows.
    """
    found = []
    first, last = rounds_of(cycle)
    teams = list(Team.objects.filter(season=cycle.season_id).order_by("name"))
    matches = Match.objects.filter(season=cycle.season_id)
    lacking = missing_boards(cycle.season)
    for number in range(first, last + 1):
        entered = list(matches.filter(round=number).order_by("pk"))
        playing = {team for one in entered for team in (one.home_team_id, one.away_team_id)}
        idle = [str(team) for team in teams if team.pk not in playing]
        if len(idle) > 1:
            words = {"round": number, "teams": ", ".join(idle)}
            found.append((f"round {number}", gettext("Round %(round)d has no match for %(teams)s.") % words))
        found += [(f"match {one.pk}", lacking[one.pk]) for one in entered if one.pk in lacking]
    return found


def missing_boards(season: Season) -> dict[int, str]:
    """Return a sentence for each match of a season, by its key, with fewer boards than the longest one.

    A board for which a team had nobody is entered as well: it counts for the match.
    """
    matches = Match.objects.filter(season=season).select_related("home_team", "away_team")
    boards: dict[int, set[int]] = {}
    for match, number in Board.objects.filter(match__in=matches).values_list("match", "number"):
        boards.setdefault(match, set()).add(number)
    usual = range(1, max(map(len, boards.values()), default=0) + 1)
    found = {}
    for one in matches.order_by("round", "pk"):
        if lacking := [str(each) for each in usual if each not in boards.get(one.pk, ())]:
            told = ngettext(
                "Round %(match)s: board %(boards)s isn’t entered.",
                "Round %(match)s: boards %(boards)s aren’t entered.",
                len(lacking),
            )
            found[one.pk] = told % {"match": one, "boards": ", ".join(lacking)}
    return found
