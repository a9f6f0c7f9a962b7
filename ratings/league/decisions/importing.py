"""Importing files of squads and rounds. No rating moves before the cycle is closed."""

from __future__ import annotations

from typing import Any, BinaryIO

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from foa.said import gettext, ngettext
from ratings.formats.league import ROUND_COLUMNS, ROUND_OPTIONAL, SQUAD_COLUMNS, read_rounds, read_squads
from ratings.league.decisions.closing import LeagueKind
from ratings.league.models import Season
from ratings.league.services.rounds import store_round
from ratings.league.services.squads import RowsRefused, SeasonRefused, store_squads
from ratings.office.decision_types import Decision, register
from ratings.office.effects import Effect, Fact, Sentence
from ratings.office.importing import FileForm, FileReport, ImportKind


class SquadsForm(FileForm):
    """Form for a file of squads and their season."""

    season = forms.CharField(
        label=_("Season"),
        max_length=50,
        help_text=_("Name of the season. If it doesn’t exist yet, we create it."),
    )
    cycles = forms.RegexField(
        r"^[0-9]{1,2}( *, *[0-9]{1,2})*$",
        label=_("Last round of each cycle"),
        required=False,
        max_length=100,
        help_text=_("Only for a new season, such as 5, 10, 11."),
    )
    league = forms.CharField(
        label=_("League"),
        required=False,
        max_length=100,
        help_text=_("Only for a new season of another league."),
    )

    def clean_cycles(self) -> list[int] | None:
        """Return the rounds, or None if nothing was entered."""
        text = self.cleaned_data["cycles"]
        return [int(part) for part in text.split(",")] if text else None


@register
class ImportSquads(ImportKind, LeagueKind):
    """Decision to import a file of squads, which stores the players who aren't in the season yet."""

    name = "import-squads"
    title = _("Import league squads")
    button = _("Import the squads")
    permission = "league.add_squadplayer"
    is_public = False
    is_whole = True
    form = SquadsForm
    columns = SQUAD_COLUMNS
    about = _("Which team each player plays for in a season, and the rating they start with.")
    lists = ("league.squadplayer",)

    def take(self, file: BinaryIO, decision: Decision, report: FileReport) -> Effect:
        """Store all rows or none."""
        asked, rows = decision.asked, read_squads(file)
        try:
            result = store_squads(
                asked["season"], rows, cycles=asked["cycles"], league=asked["league"] or None
            )
        except RowsRefused as refused:
            report.read_as, report.refused = rows.read_as, refused.problems
            return Effect()
        except SeasonRefused as refusal:
            raise ValidationError(f"{refusal}.") from refusal
        report.read_as = rows.read_as
        words = {"season": result.season, "stored": result.stored, "there": result.already_there}
        report.said = [gettext("%(season)s: new players: %(stored)d, already there: %(there)d.") % words]
        season = str(result.season)
        facts = [
            Fact("inputs", f"{season} team {name}", gettext("New team"), after=name) for name in result.teams
        ]
        if result.cycles:
            rounds = ", ".join(map(str, result.cycles))
            told = gettext("New season, with cycles after rounds %(rounds)s") % {"rounds": rounds}
            facts.insert(0, Fact("inputs", f"{season} cycles {rounds}", told, after=season))
        if result.stored:
            facts.append(
                Fact("inputs", f"{season} players", gettext("Players stored"), after=str(result.stored))
            )
        return Effect(facts=facts, outcome=[Sentence(report.said[0])], objects=[result.season])


class RoundsForm(FileForm):
    """Form for a file of rounds, their season, and options to do more than store what is new."""

    season: Any = forms.ModelChoiceField(Season.objects.select_related("league"), label=_("Season"))
    replace = forms.BooleanField(label=_("Replace stored boards with those in the file"), required=False)
    add_unknown_as_ce = forms.BooleanField(
        label=_("Add unknown players to their teams"),
        required=False,
        help_text=_("As new players with a captain’s estimate."),
    )


@register
class ImportRounds(ImportKind, LeagueKind):
    """Decision to import the boards of one or several rounds."""

    name = "import-rounds"
    title = _("Import league rounds")
    button = _("Import the rounds")
    permission = "league.add_board"
    is_public = False
    is_whole = True
    form = RoundsForm
    columns = (*ROUND_COLUMNS, *ROUND_OPTIONAL)
    about = _(
        "The boards of one or more rounds. Results of a closed cycle can’t be imported; correct them instead."
    )
    lists = ("league.match",)
    also_needs = {"replace": "league.change_board", "add_unknown_as_ce": "league.add_squadplayer"}

    def offer(self, option: str, number: int) -> tuple[str, str]:
        """Offer to replace boards, or to take unknown players into their teams."""
        if option == "replace":
            button = ngettext("Replace %d board", "Replace %d boards", number)
            return gettext("boards stored with different players or results"), button % number
        button = ngettext("Add %d player to their team", "Add %d players to their teams", number)
        return gettext("players who aren’t in a squad"), button % number

    def take(self, file: BinaryIO, decision: Decision, report: FileReport) -> Effect:
        """Store all rows or none."""
        asked, rows = decision.asked, read_rounds(file)
        try:
            result = store_round(
                asked["season"], rows, replace=asked["replace"], add_unknown_as_ce=asked["add_unknown_as_ce"]
            )
        except RowsRefused as refused:
            report.read_as, report.refused = rows.read_as, refused.problems
            return Effect()
        report.read_as = rows.read_as
        report.said = [
            gettext("%(season)s: new boards: %(stored)d, replaced: %(replaced)d, already there: %(there)d.")
            % {
                "season": asked["season"],
                "stored": result.stored,
                "replaced": len(result.replaced),
                "there": result.already_there,
            }
        ]
        if result.staged:
            many = len(result.staged)
            told = ngettext(
                "%d match now has a different stage.", "%d matches now have a different stage.", many
            )
            report.said.append(told % many)
        report.said += result.missing
        facts = [
            Fact(
                "inputs",
                f"{name} new",
                gettext("New player with a captain’s estimate"),
                after=f"{name}, {team}",
            )
            for name, team in result.new_players.items()
        ]
        facts += [
            Fact(
                "inputs",
                f"round {one.place.round} {one.place}",
                gettext("Round %(round)d, %(board)s") % {"round": one.place.round, "board": one.place},
                one.before,
                one.after,
            )
            for one in result.replaced
        ]
        facts += [
            Fact("inputs", f"match {one.match.pk} stage", str(one.match), one.before, one.match.stage)
            for one in result.staged
        ]
        if result.stored:
            facts.append(Fact("inputs", "boards", gettext("Boards stored"), after=str(result.stored)))
        return Effect(facts=facts, outcome=[Sentence(report.said[0])], objects=[asked["season"]])
