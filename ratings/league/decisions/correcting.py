"""Correcting what closed cycles were rated with: the first of them and all later ones are rated again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.forms.models import model_to_dict
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext_lazy as _

from foa.said import capital, gettext, of_field, plain
from ratings.league.decisions.closing import LeagueKind, fact_of, links_of, moves_since
from ratings.league.forms import EntryForm, SingleBoardForm
from ratings.league.models import Board, CycleList, League, SquadPlayer
from ratings.league.services import corrections
from ratings.league.services.cycles import NotClosed, lock_league
from ratings.office.corrected_fields import keep_others, refuse_later, to_take_back
from ratings.office.decision_types import Decision, Parameters, register
from ratings.office.effects import Effect, Fact, Sentence, lines_change
from ratings.office.forms import OneOf, as_parameters, value_text

_LONGEST_REASON = 255
"""Maximum length of a note in an input's history."""


class Correction(LeagueKind):
    """Decision to correct fields of an input that a closed cycle was rated with.

    Until then, the input is edited on its own page.
    """

    button = _("Correct")
    template = "admin/league/_corrected.html"
    model: ClassVar[type[Any]]
    fields: ClassVar[tuple[str, ...]]

    @property
    def key(self) -> str:
        """Return the parameter that identifies the input: the name of the model."""
        return str(self.model._meta.model_name)

    def subject(self, asked: Mapping[str, Any]) -> str:
        what = asked.get(self.key)
        return self.named(what) if isinstance(what, self.model) else ""

    def named(self, instance: Any) -> str:
        """Name the input so that it can be told from all others."""
        return str(instance)

    def bind(self, parameters: Parameters) -> Any:
        """Return the form with the stored values, or with those that somebody asks for."""
        which = forms.Form(MultiValueDict(parameters))
        which.fields[self.key] = OneOf(self.model._base_manager.all())
        if not which.is_valid():
            unseen = {name: forms.Field(required=False, widget=forms.HiddenInput()) for name in self.fields}
            which.fields |= unseen
            return which
        stored = which.cleaned_data[self.key]
        is_asked = not set(self.fields).isdisjoint(parameters)
        form: Any = self.form(MultiValueDict(parameters) if is_asked else None, instance=stored)
        form.fields[self.key] = _Chosen(self, stored)
        form.order_fields([self.key])
        keep_others(form, self.fields, parameters)
        return form

    def correct(self, instance: Any, decision: Decision) -> list[CycleList]:
        """Store the input and rate again. Return the new revisions."""
        return corrections.correct(
            instance, reason=decision.note[:_LONGEST_REASON], by=decision.by, at=decision.at
        )

    def lock(self, form: Any) -> bool:
        """Lock the league as well: whether squads and boards fit each other depends on all of it."""
        lock_league()
        return super().lock(form)

    def apply(self, decision: Decision) -> Effect:
        """Store what was requested. The effect is empty if that is stored already."""
        instance = self.model._base_manager.filter(pk=decision.asked[self.key].pk).first()
        cycle = instance and corrections.rated_with(instance)
        if cycle is None:
            raise ValidationError(_("No closed cycle uses this. Change it on its own page."))
        was, own = as_parameters(model_to_dict(instance, self.fields)), decision.asked["replaces"]
        refuse_later(self.named(instance), self.model, was, own)
        facts = list(self._facts(instance, decision.asked))
        if not facts:
            return Effect()
        league = cycle.season.league
        before = corrections.standing(league)
        for name in self.fields:
            setattr(instance, name, decision.asked[name])
        now = as_parameters(model_to_dict(instance, self.fields))
        try:
            revised = [(one, corrections.changed_lines(one)) for one in self.correct(instance, decision)]
        except NotClosed as refusal:
            raise ValidationError(f"{refusal}.") from refusal
        lists = [(one, lines_change(one, len(lines))) for one, lines in revised]
        return Effect(
            moves=list(moves_since(before, league)),
            facts=[*facts, *(fact_of(one, told) for one, told in lists)],
            outcome=[Sentence(told, links_of(one)) for one, told in lists]
            or [Sentence(gettext("No published list is affected."))],
            objects=[instance],
            undo=(self.name, {self.key: [str(instance.pk)], **to_take_back(was, now, self.fields)}),
            result=revised,
        )

    def _facts(self, instance: Any, asked: Mapping[str, Any]) -> Iterator[Fact]:
        for name in self.fields:
            before, after = getattr(instance, name), asked[name]
            if before != after:
                label = of_field(self.named(instance), self.model, name)
                yield Fact(
                    "inputs", f"{self.key} {instance.pk} {name}", label, value_text(before), value_text(after)
                )


class _Chosen(OneOf):
    """Field for the input. The page of a correction shows it, and nobody can change the choice."""

    def __init__(self, kind: Correction, stored: Any) -> None:
        super().__init__(
            kind.model._base_manager.filter(pk=stored.pk),
            label=capital(plain("%s") % kind.model._meta.verbose_name),
            widget=forms.Select,
            empty_label=None,
            help_text=_(
                "A closed cycle uses this. If you correct it, that cycle and all later ones are "
                "recalculated. Published lists stay, and those that change get a new revision."
            ),
        )
        self._kind = kind

    def label_from_instance(self, obj: Any) -> str:
        return self._kind.named(obj)


class BoardCorrection(SingleBoardForm):
    """Form that corrects a board's players or result."""

    class Meta:
        model = Board
        fields = ("home_player", "away_player", "result")


@register
class CorrectBoard(Correction):
    name = "correct-board"
    title = _("Correct a board")
    register_title = _("Board corrected")
    permission = "league.change_board"
    form = BoardCorrection
    model, fields = Board, ("home_player", "away_player", "result")

    def named(self, instance: Board) -> str:
        words = {"match": instance.match, "board": instance}
        return gettext("round %(match)s, board %(board)s") % words

    def correct(self, instance: Board, decision: Decision) -> list[CycleList]:
        return corrections.correct_board(
            instance,
            **{name: decision.asked[name] for name in self.fields},
            reason=decision.note[:_LONGEST_REASON],
            by=decision.by,
            at=decision.at,
        )


class EntryCorrection(EntryForm):
    """Form that corrects a player's starting figures or team."""

    class Meta:
        model = SquadPlayer
        fields = ("team", "rating", "games", "captains_estimate")


@register
class CorrectSquadEntry(Correction):
    """Decision that corrects a player's starting figures of a season."""

    name = "correct-squad-entry"
    title = _("Correct a squad entry")
    register_title = _("Squad entry corrected")
    permission = "league.change_squadplayer"
    form = EntryCorrection
    model, fields = SquadPlayer, ("team", "rating", "games", "captains_estimate")

    def named(self, instance: SquadPlayer) -> str:
        return f"{instance}, {instance.season}"


@register
class CorrectLimit(Correction):
    """Decision that corrects the number of games after which a league's ratings are established."""

    name = "correct-limit"
    title = _("Correct a provisional limit")
    register_title = _("Provisional limit corrected")
    permission = "league.change_league"
    form = forms.modelform_factory(League, fields=["provisional_limit"])
    model, fields = League, ("provisional_limit",)
