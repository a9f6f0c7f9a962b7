"""Admin pages of inputs: games, starting ratings and over-the-board adjustments, and of time controls."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final, cast

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db import connection
from django.db.models import Q, QuerySet
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from foa.text import number_in
from foa.web.admin import ChoiceFilter, TypedFilter, is_value
from foa.web.admin_history import HistoryAdmin
from ratings.formats.controls import read_typed_control
from ratings.formats.pgn_entry import disagreements, with_result
from ratings.office.admin.base import LookAtOnly, ProjectionAdmin
from ratings.office.admin.deciding import moved_rows
from ratings.office.effects import Effect, Move
from ratings.office.fields import hundredths
from ratings.rbb.admin.base import InputAdmin, OfMembers
from ratings.rbb.decisions.base import LedgerKind
from ratings.rbb.decisions.games import GAME_FIELDS
from ratings.rbb.decisions.inputs import ADJUSTMENT_FIELDS, OPENING_FIELDS
from ratings.rbb.labels import CATEGORY_NAMES, void_text
from ratings.rbb.models import (
    ArenaEvent,
    Game,
    ImportBatch,
    OpeningRating,
    OtbAdjustment,
    RatingChange,
    TimeControl,
)
from ratings.rbb.models.games import STATES, GameQuerySet
from ratings.rbb.same_game import GameFacts, likely_same
from ratings.rules.time_controls import MAX_WRITTEN

_SHOWN: Final = 5
"""Maximum number of stored games named in a message about the same game."""

_AT_ONCE: Final = 1_900
"""Maximum number of games in one decision: a form posts at most 2,000 fields."""


@admin.register(TimeControl)
class TimeControlAdmin(LookAtOnly, HistoryAdmin[TimeControl]):
    """Admin pages of time controls, read-only: RBB 2.3 lists those that are rated."""

    list_display = ("__str__", "initial", "increment", "category")
    list_filter = ("category",)
    fields = ("initial", "increment", "written", "category")


@admin.register(ArenaEvent)
class ArenaEventAdmin(ProjectionAdmin[ArenaEvent]):
    """Admin pages of arena events, read-only: the arena's next message would overwrite any change."""

    list_display = ("name", "external_id", "url")
    search_fields = ("name", "external_id")
    fields = ("name", "external_id", "url")


class VoidFilter(ChoiceFilter):
    """Filter by whether games are void."""

    title = _("void")
    parameter_name = "void"
    options = (("yes", _("Yes")), ("no", _("No")))

    def queryset(self, request: HttpRequest, queryset: QuerySet[Game]) -> QuerySet[Game]:
        if self.value() not in ("yes", "no"):
            return queryset
        return queryset.filter(voided_at__isnull=self.value() == "no")


class MembershipFilter(ChoiceFilter):
    """Filter of games unrated for lack of full membership (RBB 2.1): all, or those now covered by it."""

    title = _("kept unrated (RBB 2.1)")
    parameter_name = "membership"
    options = (
        ("lacking", _("for lack of full membership")),
        ("covered", _("now covered by full membership")),
    )

    def queryset(self, request: HttpRequest, queryset: QuerySet[Game]) -> QuerySet[Game]:
        """Filter by the stored reason and the current spans of membership."""
        if self.value() not in ("lacking", "covered"):
            return queryset
        games = cast(GameQuerySet, queryset).kept_unrated()
        return games if self.value() == "lacking" else games.covered()


class StateFilter(ChoiceFilter):
    """Filter of games that have ended, may be in progress, or whose end wasn't reported."""

    title = _("state")
    parameter_name = "state"
    options = (*STATES,)

    def queryset(self, request: HttpRequest, queryset: QuerySet[Game]) -> QuerySet[Game]:
        """Filter by the end, and by the time control of games in progress."""
        games = cast(GameQuerySet, queryset)
        return games.in_state(self.value() or "", timezone.now())


class SameFilter(ChoiceFilter):
    """Filter of games that may be other reports of stored ones, and wait for somebody to say so."""

    title = _("possible duplicate")
    parameter_name = "same"
    options = (("yes", _("Yes")),)

    def queryset(self, request: HttpRequest, queryset: QuerySet[Game]) -> QuerySet[Game]:
        return cast(GameQuerySet, queryset).to_tell_apart() if self.value() == "yes" else queryset


class BatchFilter(TypedFilter):
    """Filter by import."""

    title = _("import number")
    parameter_name = "batch"

    def queryset(self, request: HttpRequest, queryset: QuerySet[Game]) -> QuerySet[Game]:
        """Filter by the key of the import; return no rows for an invalid key."""
        key = (self.value() or "").strip()
        if not key:
            return queryset
        return queryset.filter(batch=int(key)) if is_value(ImportBatch._meta.pk, key) else queryset.none()


class GameForm(ModelForm[Game]):
    """Form of a game.

    ``twice``: confirms storing a duplicate; shown only for one. ``other_control``: replaces the chosen time
    control.
    """

    twice = forms.BooleanField(
        label=_("Save a second copy"),
        required=False,
        help_text=_("Tick this only if the two members really played both games."),
    )
    other_control = forms.CharField(
        label=_("Another time control"),
        required=False,
        max_length=MAX_WRITTEN,
        help_text=_(
            "Minutes + seconds per move, such as 7+5. Replaces the choice above. Only time controls "
            "on the list are rated (RBB 2.3)."
        ),
        widget=forms.TextInput(attrs={"size": 12}),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if field := cast(Any, self.fields.get("time_control")):
            # A typed one will do.
            field.required = "other_control" not in self.fields
            field.choices = _control_choices(self.instance.time_control_id)

    def clean_other_control(self) -> TimeControl | None:
        """Return the control that was typed, None if the field is empty."""
        try:
            return typed_control(self.cleaned_data["other_control"])
        except ValueError as error:
            raise ValidationError(f"{capfirst(str(error))}.") from error

    def clean_pgn(self) -> str:
        """Return the text with the line ends of the stored one: browsers post others, without a change."""
        text = str(self.cleaned_data["pgn"]).replace("\r\n", "\n")
        stored: str = self.instance.pgn
        return stored if text == stored.replace("\r\n", "\n").strip() else text

    def clean(self) -> Any:
        """Raise ValidationError for a PGN that contradicts the form, or a game that is already stored."""
        cleaned = super().clean() or self.cleaned_data
        faults: dict[str, Any] = {}
        if other := cleaned.get("other_control"):
            cleaned["time_control"] = other
        elif not {"time_control", "other_control"} & self.errors.keys() and not cleaned.get("time_control"):
            faults["time_control"] = [gettext("Choose a time control, or type another one.")]
        changed, stored = set(self.changed_data), self.instance.pgn
        if cleaned.get("pgn") == stored:
            changed.discard("pgn")
            if {"result"} <= changed & cleaned.keys():
                # The text says the result, too: nobody wants to correct it twice.
                cleaned["pgn"] = with_result(stored, cleaned["result"])
        if {"pgn", "result", "plies", "white", "black"} & changed:
            faults["pgn"] = _disagreements(self.cleaned_data)
        if self.instance.pk is None:
            if same := _the_same(self.cleaned_data):
                if not self.cleaned_data.get("twice"):
                    faults["twice"] = [_told_twice(same)]
                self.instance.possibly_same_id = same[0]
            elif "twice" in self.fields:
                self.fields["twice"].widget = forms.HiddenInput()
        if any(faults.values()):
            raise ValidationError({name: found for name, found in faults.items() if found})
        return cleaned


def typed_control(text: str) -> TimeControl | None:
    """Return the stored control of a typed text, None for an empty one. Raises ValueError."""
    if not text.strip():
        return None
    return TimeControl.objects.get_or_create(**read_typed_control(text)._asdict())[0]


def _control_choices(own: int | None) -> list[Any]:
    """Return the rated controls by category (RBB 2.3), then that of the game, if it is another one."""
    controls = TimeControl.objects.filter(Q(category__isnull=False) | Q(pk=own))
    groups: dict[Any, list[Any]] = {name: [] for name in CATEGORY_NAMES.values()}
    for one in controls:
        name = _("Unrated (RBB 2.2)") if one.category is None else CATEGORY_NAMES[one.category]
        groups.setdefault(name, []).append((one.pk, str(one)))
    return [("", "---------"), *groups.items()]


def _leads_to(page: str, description: Any) -> Any:
    """Return an action that leads to the page of a decision about the chosen games."""

    @admin.action(permissions=["change"], description=description)
    def action(self: GameAdmin, request: HttpRequest, queryset: QuerySet[Game]) -> HttpResponse | None:
        keys = list(queryset.order_by().values_list("pk", flat=True)[: _AT_ONCE + 1])
        if len(keys) > _AT_ONCE:
            refusal = gettext("Select %d games or fewer. Nothing was done.") % _AT_ONCE
            self.message_user(request, refusal, messages.ERROR)
            return None
        return self.show_decision(request, page, {"game": [str(key) for key in keys]})

    return action


@admin.register(Game)
class GameAdmin(OfMembers[Game], InputAdmin[Game]):
    """Admin pages of games. Saving a game rates it and the later events that it affects."""

    decisions = {
        "void": "void-games",
        "reinstate": "reinstate-games",
        "enter": "enter-game",
        "correct": "correct-game",
        "remove": "delete-games",
        "rate": "rate-games",
        "end": "end-games",
        "same": "same-game",
        "other": "other-game",
    }
    entered = (*GAME_FIELDS, "possibly_same")
    takes_newest = True
    form = GameForm
    actions = ("void", "reinstate", "rate", "end", "same", "other")
    list_display = ("ended_at", "white", "black", "result", "time_control", "rated", "voided_at")
    list_filter = (
        "rated",
        StateFilter,
        VoidFilter,
        MembershipFilter,
        SameFilter,
        "result",
        "time_control__category",
        BatchFilter,
    )
    list_select_related = ("white", "black", "time_control")
    date_hierarchy = "ended_at"
    sortable_by = ("ended_at",)
    search_fields = ("white", "black")
    search_help_text = _(
        "Part of a player’s name or username, a FIDE ID, the start of an external ID, or the number of a "
        "game or ledger line"
    )
    autocomplete_fields = ("white", "black")
    fields = (
        ("white", "black"),
        ("time_control", "other_control"),
        ("rated", "unrated_reason"),
        ("result", "termination", "termination_word", "plies"),
        ("started_at", "ended_at"),
        "external_id",
        ("event", "round", "variant"),
        "url",
        "pgn",
        "batch",
        "double",
        ("voided_at", "voided_by", "void_reason"),
        "void_note",
        "ledger",
    )
    readonly_fields = (
        "termination_word",
        "event",
        "round",
        "variant",
        "url",
        "batch",
        "double",
        "voided_at",
        "voided_by",
        "void_reason",
        "void_note",
        "ledger",
    )

    def get_fields(self, request: HttpRequest, obj: Game | None = None) -> Any:
        """Return the fields; a posted new game also has ``twice``, shown if the same game is stored."""
        may_type = (
            self.has_add_permission(request) if obj is None else self.has_change_permission(request, obj)
        )
        fields = self.fields if may_type else _without_typed(self.fields)
        is_asked = obj is None and request.method == "POST"
        return ("twice", *fields) if is_asked else fields

    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Store a control that was typed first: a decision about the game takes back what the form stored."""
        if request.method == "POST" and (
            self.has_add_permission(request) or self.has_change_permission(request)
        ):
            with suppress(ValueError):
                typed_control(request.POST.get("other_control", ""))
        return super().changeform_view(request, *args, **kwargs)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Store the game, say whose ratings it moved, and warn if a closed account makes it void."""
        was_rated = change and obj.as_loaded().place is not None
        super().save_model(request, obj, form, change)
        # It is the newest game of both, or it would have needed a decision.
        if not was_rated and (moves := _moves_of(obj)):
            self.message_user(request, _told_of(moves), messages.SUCCESS)
        if obj.voided_at is not None:
            self.message_user(request, void_text(obj), messages.WARNING)

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any) -> Any:
        """Render the form, without deletion for a game in the ledger, which can only be voided."""
        game = context.get("original")
        context["show_delete"] = game is None or game.place is None
        return super().render_change_form(request, context, *args, **kwargs)

    void = _leads_to("void", _("Void the selected games …"))
    reinstate = _leads_to("reinstate", _("Reinstate the selected games …"))
    rate = _leads_to("rate", _("Rate the selected games …"))
    end = _leads_to("end", _("End the selected games, with no result …"))
    same = _leads_to("same", _("Same game: keep only the first report of each selected game …"))
    other = _leads_to("other", _("Different games: rate the selected games too …"))

    @admin.display(description=_("Possibly the same as"))
    def double(self, game: Game) -> SafeString | str:
        """Return the earlier game that this one may be, and the two decisions about it."""
        first, other = game.possibly_same, f"{reverse('admin:ratings_game_other')}?game={game.pk}"
        if first is None and game.waits:
            told = gettext("a game that has since been deleted")
            return format_html('{} · <a href="{}">{}</a>', told, other, gettext("Rate this game …"))
        if first is None:
            return "–"
        link = format_html(
            '<a href="{}">{}</a>', reverse("admin:ratings_game_change", args=(first.pk,)), first
        )
        told = gettext("game %(number)d") % {"number": first.pk}
        if not game.waits:
            return format_html("{}, {}", link, told)
        return format_html(
            '{}, {} · <a href="{}">{}</a> · <a href="{}">{}</a>',
            link,
            told,
            f"{reverse('admin:ratings_game_same')}?game={game.pk}",
            gettext("Same game …"),
            other,
            gettext("Different games …"),
        )

    @admin.display(description=_("Ledger"))
    def ledger(self, game: Game) -> SafeString:
        """Return the effect of the game on both players."""
        rows = RatingChange.objects.of_game(game).with_events() if game.pk else ()
        return render_to_string("admin/ratings/game/_ledger.html", {"rows": rows})

    def found(self, text: str, members: list[int]) -> Q:
        """Match games of these members, games whose external id begins with the text, or with this number.

        A number can be that of a game or of a line of the ledger.
        """
        found = super().found(text, members) | _beginning(text.strip().replace("\x00", ""))
        if (number := number_in(text.strip())) is not None:
            lines = RatingChange.objects.filter(pk=number, game__isnull=False).order_by()
            found |= Q(pk=number) | Q(pk__in=list(lines.values_list("game", flat=True)))
        return found


def _disagreements(entered: dict[str, Any]) -> list[str]:
    players = [entered.get(colour) for colour in ("white", "black")]
    if None in players:
        return []
    white, black = ({who.username, who.name, str(who)} for who in players if who)
    return disagreements(
        entered.get("pgn") or "",
        result=entered.get("result") or "",
        plies=entered.get("plies"),
        white=white,
        black=black,
    )


def _the_same(entered: dict[str, Any]) -> list[int]:
    """Return the stored games that are likely the one that was entered."""
    wanted = ("white", "black", "time_control", "started_at", "ended_at", "result", "plies", "pgn")
    if any(entered.get(name) is None for name in wanted[:4]):
        return []
    game = Game(**{name: entered.get(name) for name in wanted})
    return likely_same(Game, [GameFacts.of(game)])[0] if game.ended_at else []


def _told_twice(same: list[int]) -> SafeString:
    """Ask whether the entered game is another one than these."""
    links = [(reverse("admin:ratings_game_change", args=(pk,)), pk) for pk in same[:_SHOWN]]
    listed = format_html_join(", ", '<a href="{}">{}</a>', links)
    told = gettext("This looks like game {}, which is already stored. Is it a different game?")
    return format_html(told, listed)


def _without_typed(fields: tuple[Any, ...]) -> tuple[Any, ...]:
    """Leave out what isn't a column, for those who may only look."""
    return tuple("time_control" if "other_control" in one else one for one in fields)


def _moves_of(game: Game) -> list[Move]:
    """Return the ratings that a game has moved."""
    lines = RatingChange.objects.of_game(game)
    rows = lines.values_list("member", "category", hundredths("before"), hundredths("after"))
    moves = [Move(member, of.slug, before, after) for member, of, before, after in rows if before != after]
    return Effect(moves=moves).farthest


def _told_of(moves: list[Move]) -> str:
    """Say whose ratings changed."""
    named = "; ".join(
        gettext("%(member)s, %(category)s: %(before)s → %(after)s")
        % {"member": row.name, "category": row.scale, "before": row.before, "after": row.after}
        for row in moved_rows(LedgerKind(), moves)
    )
    sentence = ngettext(
        "%(count)d rating changed: %(named)s.", "%(count)d ratings changed: %(named)s.", len(moves)
    )
    return sentence % {"count": len(moves), "named": named}


def _beginning(text: str) -> Q:
    """Match games by the beginning of their external id, in a form that an index answers."""
    if connection.vendor == "postgresql":
        return Q(external_id__startswith=text)
    return Q(external_id__gte=text, external_id__lt=text + "\U0010ffff")


@admin.register(OpeningRating)
class OpeningRatingAdmin(OfMembers[OpeningRating], InputAdmin[OpeningRating]):
    """Admin pages of first ratings, and ratings from an earlier system (RBB 3.4)."""

    decisions = {"enter": "enter-opening", "correct": "correct-opening", "remove": "delete-openings"}
    entered = OPENING_FIELDS

    list_display = ("effective_at", "member", "category", "rating", "games", "source")
    list_filter = ("category", "previously_unrated")
    list_select_related = ("member",)
    autocomplete_fields = ("member",)
    readonly_fields = ("batch",)


@admin.register(OtbAdjustment)
class OtbAdjustmentAdmin(OfMembers[OtbAdjustment], InputAdmin[OtbAdjustment]):
    """Admin pages of over-the-board changes (RBB 3.15)."""

    decisions = {"enter": "enter-adjustment", "correct": "correct-adjustment", "remove": "delete-adjustments"}
    entered = ADJUSTMENT_FIELDS

    list_display = ("effective_at", "member", "category", "period", "change", "source")
    list_filter = ("category", "period")
    list_select_related = ("member",)
    autocomplete_fields = ("member",)
    readonly_fields = ("batch",)


@admin.register(ImportBatch)
class ImportBatchAdmin(ProjectionAdmin[ImportBatch]):
    list_display = ("imported_at", "source", "stored", "already_there", "refused", "imported_by")
    list_select_related = ("imported_by",)
    search_fields = ("source", "sha256")
