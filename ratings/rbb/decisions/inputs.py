"""Decisions about single inputs: entering, correcting or deleting an opening, an adjustment, a rated game.

There are three kinds for each model, all using the form of its fields. Entering and deleting undo each other,
and a correction undoes another.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from django import forms
from django.forms.models import modelform_factory
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from foa.history import name_author
from foa.locking import lock_row, lock_rows
from foa.said import of_field
from foa.web.admin import is_value
from members.former import keep_arrivals
from members.models import Member
from ratings.office.corrected_fields import keep_others, refuse_later, text_of, to_take_back
from ratings.office.decision_types import Decision, Parameters, register
from ratings.office.effects import AboutRow, Effect, Fact
from ratings.office.forms import OneOf, SomeOf, as_parameters, value_text
from ratings.rbb.decisions.base import LedgerKind, effect_of, game_subject, listed
from ratings.rbb.labels import doubt_text, void_text
from ratings.rbb.ledger.plausibility import doubts_of
from ratings.rbb.ledger.replay import Deferred, deferred
from ratings.rbb.models import Game, OpeningRating, OtbAdjustment
from ratings.rules.time_controls import Category

OPENING_FIELDS = ("member", "category", "rating", "games", "previously_unrated", "effective_at", "source")
"""Fields of a starting rating (RBB 3.4)."""

ADJUSTMENT_FIELDS = ("member", "category", "period", "change", "effective_at", "source")
"""Fields of an over-the-board change (RBB 3.15)."""


def parameters_of(instance: Any, fields: tuple[str, ...]) -> dict[str, list[str]]:
    """Return the parameters with which the form of these fields would make a copy of this object."""
    return as_parameters(
        {name: instance._meta.get_field(name).value_from_object(instance) for name in fields}
    )


class _OfInputs(LedgerKind):
    """A decision about inputs of a model, made with the form of its fields."""

    names_subject = True
    model: ClassVar[type[Any]]
    fields: ClassVar[tuple[str, ...]]

    @property
    def key(self) -> str:
        """The parameter for the input: the name of the model."""
        return str(self.model._meta.model_name)

    def subject(self, asked: Mapping[str, Any]) -> str:
        what = asked.get(self.key)
        return self.label(what if isinstance(what, self.model) else self.entered(asked))

    def entered(self, asked: Mapping[str, Any]) -> Any:
        """Return the input that a form of its fields makes."""
        return self.model(**{name: asked[name] for name in self.fields})

    def label(self, instance: Any) -> str:
        """Name an input among others of its kind."""
        return game_subject(instance) if isinstance(instance, Game) else str(instance)

    def facts(self, instance: Any, before: Mapping[str, str], after: Mapping[str, str]) -> list[Fact]:
        """Return each changed field, with values that read the same in every language.

        A field that stays empty, also that of a new or deleted input, has not changed.
        """
        return [
            Fact(
                "inputs",
                str(AboutRow(self.key, instance.pk, name)) if before else f"{self.key} new {name}",
                of_field(instance, self.model, name),
                before.get(name, ""),
                after.get(name, ""),
            )
            for name in self.fields
            if before.get(name, "") != after.get(name, "")
        ]

    def values(self, instance: Any, fields: Iterable[str] = ()) -> dict[str, str]:
        """Return the fields of an input for people: all of them, or these."""
        values = {name: getattr(instance, name) for name in fields or self.fields}
        return {
            name: value.slug if isinstance(value, Category) else value_text(value)
            for name, value in values.items()
        }

    def doubts(self, instance: Any) -> list[Fact]:
        """Return what is implausible about it, and whether a closed account makes a game void."""
        doubts = [
            Fact("warnings", f"{one.key} {one.doubt.name}", doubt_text(one.doubt, one.words))
            for one in doubts_of(instance)
        ]
        if isinstance(instance, Game) and instance.voided_at is not None:
            doubts.append(Fact("warnings", "void", void_text(instance)))
        return doubts

    def save(self, instance: Any, decision: Decision) -> Deferred:
        """Store it, with who and why in its history."""
        name_author(instance, decision.by, decision.note)
        with deferred() as work:
            instance.save()
        return work


class _Filled(_OfInputs):
    """A decision with a form of all fields."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if hasattr(cls, "model"):
            fields = {name: cls.model._meta.get_field(name) for name in cls.fields}
            editable = [name for name, field in fields.items() if field.editable]
            cls.form = modelform_factory(
                cls.model, fields=editable, widgets=dict.fromkeys(editable, forms.HiddenInput())
            )
            # The others, texts or references to rows, aren't edited; they are restored with a deleted input.
            for name in fields.keys() - set(editable):
                texts = {} if fields[name].is_relation else {"form_class": forms.CharField}
                cls.form.base_fields[name] = fields[name].formfield(widget=forms.HiddenInput(), **texts)


class CorrectInput(_Filled):
    """Decision to change the facts of an input.

    ``replaces``: when a correction is taken back, its own fields as it left them. Only those change, and
    none that has changed since.
    """

    button = _("Correct")

    def bind(self, parameters: Parameters) -> Any:
        """Return the form of the input as stored."""
        form: Any = self.form(MultiValueDict(parameters), instance=_stored(self.model, parameters, self.key))
        form.fields[self.key] = OneOf(self.model._base_manager.all())
        keep_others(form, self.fields, parameters)
        return form

    def apply(self, decision: Decision) -> Effect:
        """Store the requested values; do nothing if they are already stored."""
        instance = lock_row(self.model._base_manager, decision.asked[self.key].pk)
        before, was = self.values(instance), parameters_of(instance, self.fields)
        own = decision.asked["replaces"]
        refuse_later(self.label(instance), self.model, was, own)
        for name in own or self.fields:
            setattr(instance, name, decision.asked[name])
        after = self.values(instance)
        if before == after:
            return Effect()
        effect = effect_of(self.save(instance, decision).summary)
        effect.facts += self.facts(instance, before, after) + self.doubts(instance)
        effect.objects = [instance]
        back = to_take_back(was, parameters_of(instance, self.fields), self.fields)
        effect.undo = (self.name, {self.key: [str(instance.pk)], **back})
        return effect


class EnterInput(_Filled):
    """Decision to enter an input by hand."""

    button = _("Enter")
    deletes: ClassVar[str]

    def apply(self, decision: Decision) -> Effect:
        instance = self.entered(decision.asked)
        effect = effect_of(self.save(instance, decision).summary)
        effect.facts += self.facts(instance, {}, self.values(instance)) + self.doubts(instance)
        effect.objects = [instance]
        effect.undo = (self.deletes, {self.key: [str(instance.pk)]})
        return effect


class DeleteInputs(_OfInputs):
    """Decision to delete inputs that shouldn't exist. A single one can be entered again."""

    button = _("Delete")
    register_title: ClassVar[Any]
    """Plural forms with the number of inputs."""
    enters: ClassVar[str]

    def bind(self, parameters: Parameters) -> Any:
        form: Any = self.form(MultiValueDict(parameters))
        form.fields[self.key] = SomeOf(self.model._base_manager.order_by("pk"))
        return form

    def subject(self, asked: Mapping[str, Any]) -> str:
        return listed(map(self.label, asked[self.key]))

    def public_heading(self, parameters: Parameters) -> str:
        return str(self.register_title % len(parameters[self.key]))

    def apply(self, decision: Decision) -> Effect:
        """Delete all of them in one replay."""
        lock_rows(self.model._base_manager.only("pk"), (one.pk for one in decision.asked[self.key]))
        chosen = list(decision.asked[self.key].all())
        facts = [fact for one in chosen for fact in self.facts(one, self.values(one), {})]
        undo = (self.enters, parameters_of(chosen[0], self.fields)) if len(chosen) == 1 else None
        with deferred() as work:
            for one in chosen:
                name_author(one, decision.by, decision.note)
                one.delete()
        effect = effect_of(work.summary)
        effect.facts += facts
        effect.undo = undo
        return effect


def _stored(model: type[Any], parameters: Parameters, key: str) -> Any:
    """Return the object with this key; None if it doesn't exist."""
    text = text_of(parameters, key)
    return model._base_manager.filter(pk=text).first() if is_value(model._meta.pk, text) else None


@register
class EnterOpening(EnterInput):
    name = "enter-opening"
    title = _("Enter a starting rating")
    register_title = _("Starting rating entered")
    permission = "ratings.add_openingrating"
    model, fields, deletes = OpeningRating, OPENING_FIELDS, "delete-openings"

    def bind(self, parameters: Parameters) -> Any:
        form: Any = super().bind(parameters)
        # The merged account that had the username under which a server told of it.
        form.fields["account"] = OneOf(Member.everybody.all(), required=False)
        return form

    def entered(self, asked: Mapping[str, Any]) -> Any:
        instance = super().entered(asked)
        account = asked.get("account")
        if account is not None and account.merged_into_id is None:
            # The merge has been taken back while the decision waited.
            instance.member = account
        return instance

    def save(self, instance: Any, decision: Decision) -> Deferred:
        work = super().save(instance, decision)
        account = decision.asked["account"]
        if account is not None and account.merged_into_id is not None:
            keep_arrivals("ratings.OpeningRating.member", {instance.pk: account.pk})
        return work


@register
class CorrectOpening(CorrectInput):
    name = "correct-opening"
    title = _("Correct a starting rating")
    register_title = _("Starting rating corrected")
    permission = "ratings.change_openingrating"
    model, fields = OpeningRating, OPENING_FIELDS


@register
class DeleteOpenings(DeleteInputs):
    name = "delete-openings"
    title = _("Delete starting ratings")
    register_title = ngettext_lazy("%d starting rating deleted", "%d starting ratings deleted")
    permission = "ratings.delete_openingrating"
    model, fields, enters = OpeningRating, OPENING_FIELDS, "enter-opening"


@register
class EnterAdjustment(EnterInput):
    name = "enter-adjustment"
    title = _("Enter an over-the-board change")
    register_title = _("Over-the-board change entered")
    permission = "ratings.add_otbadjustment"
    model, fields, deletes = OtbAdjustment, ADJUSTMENT_FIELDS, "delete-adjustments"


@register
class CorrectAdjustment(CorrectInput):
    name = "correct-adjustment"
    title = _("Correct an over-the-board change")
    register_title = _("Over-the-board change corrected")
    permission = "ratings.change_otbadjustment"
    model, fields = OtbAdjustment, ADJUSTMENT_FIELDS


@register
class DeleteAdjustments(DeleteInputs):
    name = "delete-adjustments"
    title = _("Delete over-the-board changes")
    register_title = ngettext_lazy("%d over-the-board change deleted", "%d over-the-board changes deleted")
    permission = "ratings.delete_otbadjustment"
    model, fields, enters = OtbAdjustment, ADJUSTMENT_FIELDS, "enter-adjustment"
