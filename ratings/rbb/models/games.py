"""Games, and what belongs to them: time controls, imports and other ids of the same game."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, ClassVar, Final, Self

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator
from django.db import models
from django.db.models import Exists, F, OuterRef, Q
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from foa.addresses import address_of
from foa.history import ChangeHistory
from foa.text import second, utc
from members.models import AccountClosure, FullMembership, Member
from ratings.formats.game_address import key_of_game
from ratings.formats.game_details import MAX_ADDRESS, MAX_ROUND, MAX_VARIANT
from ratings.formats.pgn_entry import last_position
from ratings.office.fields import user_field
from ratings.office.models import PublicReason
from ratings.rbb.labels import (
    TERMINATION_NAMES,
    contradiction_text,
    not_full_text,
    unmet_text,
)
from ratings.rbb.models.eligibility import eligibility_of, rule_of
from ratings.rbb.models.events import ArenaEvent
from ratings.rbb.models.fields import CategoryField, EmptyFirstIndex, EventType, change_id
from ratings.rbb.models.inputs import Input, InputQuerySet
from ratings.rbb.models.pending_replay import Place
from ratings.rbb.same_game import (
    COMPARED,
    POSSIBLY_SAME,
    GameFacts,
    first_of_each,
    id_fault,
    id_key,
    ids_alike,
    likely_same,
    lock_ids,
)
from ratings.rules.rbb.conditions import (
    NOT_FULL,
    Account,
    Closure,
    Condition,
    Unmet,
    closures_over,
    why_not_rated,
)
from ratings.rules.rbb.plausibility import is_forgotten, longest
from ratings.rules.rbb.terminations import (
    BY_WORD,
    NOT_PLAYED,
    Contradiction,
    Termination,
    contradiction_of_moves,
    contradiction_of_word,
)
from ratings.rules.rbb.variants import STANDARD
from ratings.rules.time_controls import (
    MAX_INCREMENT,
    MAX_INITIAL,
    MAX_WRITTEN,
    Category,
    Control,
    category_of,
)

UNMET: Final = "unmet"
"""The code of a fault that is a condition of RBB section 2."""

CLOCK_AHEAD: Final = timedelta(minutes=5)
"""Maximum time by which the clock of a game server may be ahead of the office's."""

_TENTHS_BELOW: Final = 10
"""Seconds left from which on clocks show tenths."""

_SHOWN: Final = (
    *("rated", "result", "termination", "started_at", "ended_at", "voided_at", "tie_rank"),
    *(f"time_control__{column}" for column in ("initial", "increment", "written", "category")),
    *(
        f"{colour}__{column}"
        for colour in ("white", "black")
        for column in ("name", "username", "title", "federation")
    ),
)


class TimeControl(models.Model):
    """RBB 2.3: a time control. A migration creates the seventeen that are rated, with their categories."""

    initial = models.PositiveIntegerField(
        _("initial"), help_text=_("seconds"), validators=[MaxValueValidator(MAX_INITIAL)]
    )
    increment = models.PositiveIntegerField(
        _("increment"),
        default=0,
        help_text=_("seconds per move"),
        validators=[MaxValueValidator(MAX_INCREMENT)],
    )
    written = models.CharField(
        _("as written"),
        max_length=MAX_WRITTEN,
        blank=True,
        default="",
        db_default="",
        help_text=_("Only for time controls other than seconds and increment, such as 40/7200:3600."),
    )
    category = CategoryField(_("category"), null=True, blank=True, editable=False)

    history = ChangeHistory()

    class Meta:
        verbose_name = _("time control")
        verbose_name_plural = _("time controls")
        # Controls in other notations come last.
        ordering = ("written", "initial", "increment")
        constraints = [
            models.UniqueConstraint(fields=["initial", "increment", "written"], name="time_control_unique")
        ]

    def __str__(self) -> str:
        return str(self.control)

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Save with the control's own category, which is never entered (RBB 2.3)."""
        self.category = category_of(self.control)
        super().save(*args, **kwargs)

    @property
    def control(self) -> Control:
        """The control in the form used by the rules."""
        return Control(self.initial, self.increment, self.written)

    @property
    def rated(self) -> bool:
        """True for the seventeen rated time controls (RBB 2.3)."""
        return self.category is not None


class ImportBatch(models.Model):
    """A run of an importer. Rows written in bulk refer to it instead of having their own history."""

    source = models.CharField(_("source"), max_length=255, help_text=_("Name of the file."))
    sha256 = models.CharField("SHA-256", max_length=64)
    imported_at = models.DateTimeField(_("imported at"))
    imported_by = user_field(_("imported by"), blank=True)
    stored = models.PositiveIntegerField(_("stored"), default=0)
    already_there = models.PositiveIntegerField(_("already there"), default=0)
    refused = models.PositiveIntegerField(_("refused"), default=0)

    class Meta:
        verbose_name = _("import batch")
        verbose_name_plural = _("import batches")
        ordering = ("-imported_at", "-pk")

    def __str__(self) -> str:
        return f"{self.source}, {utc(self.imported_at)}"


def _was_full(player: str) -> Exists:
    spans: Any = FullMembership.objects
    return Exists(spans.at(OuterRef("started_at")).filter(member=OuterRef(player)))


STATES: Final = [
    ("finished", _("finished")),
    ("playing", _("in progress")),
    ("overdue", _("no result received")),
]
"""States by which lists of games are filtered. Overdue: the game must be over, but no end was reported."""


class GameQuerySet(InputQuerySet):
    def to_tell_apart(self) -> Self:
        """Return the games that are possibly an earlier one, while nobody has said whether they are.

        The earlier one may have been deleted since.
        """
        return self.filter(rated=False, voided_at=None, unrated_reason=POSSIBLY_SAME)

    def second_reports_of_others(self) -> Self:
        """Return the games that are possibly one that other people played, now that accounts are separate."""
        others = ~Q(white=F("possibly_same__white")) | ~Q(black=F("possibly_same__black"))
        return self.filter(others, possibly_same__isnull=False)

    def counting(self) -> Self:
        """Return the games in the ledger: rated, finished, not void. NULL end means in progress."""
        return self.filter(rated=True, ended_at__isnull=False, voided_at=None)

    def in_progress(self) -> Self:
        """Return games without an end, not void."""
        return self.filter(ended_at=None, voided_at=None)

    def forgotten(self, at: datetime) -> Self:
        """Return games in progress for longer than their controls allow: no end was reported."""
        return self.in_progress().filter(self._forgotten(at))

    def in_state(self, state: str, at: datetime) -> Self:
        """Return games in one of the STATES at this moment; all of them for any other word."""
        if state == "finished":
            return self.filter(ended_at__isnull=False)
        if state == "playing":
            return self.in_progress().exclude(self._forgotten(at))
        return self.forgotten(at) if state == "overdue" else self

    def _forgotten(self, at: datetime) -> Q:
        # Games in progress are few, and so are their controls.
        going_on = self.model._default_manager.in_progress().order_by()
        controls = TimeControl.objects.filter(pk__in=going_on.values("time_control"))
        begun = [Q(time_control=one.pk, started_at__lt=at - longest(one.control, None)) for one in controls]
        return Q(*begun, _connector=Q.OR) if begun else Q(pk__in=())

    def of(self, member: int) -> Self:
        """Return the games of a member."""
        return self.filter(Q(white=member) | Q(black=member))

    def outside_membership(self) -> Self:
        """Return rated games, not void, that started when a player wasn't a full member (RBB 2.1)."""
        without = ~_was_full("white") | ~_was_full("black")
        return self.filter(without, rated=True, voided_at=None)

    def kept_unrated(self) -> Self:
        """Return games, not void, that are unrated only for lack of full membership (RBB 2.1)."""
        return self.filter(rated=False, voided_at=None, unrated_reason__in=NOT_FULL)

    def taken_out_by(self, closure: AccountClosure, opponents: Iterable[int]) -> list[Game]:
        """Return rated games, void or not, that a closure with these opponents covers, in order of start."""
        rule = rule_of(closure, opponents)
        games = self.of(closure.member_id).filter(
            rated=True, started_at__gte=closure.games_since or closure.closed_from
        )
        if closure.closed_until is not None:
            games = games.filter(started_at__lt=closure.closed_until)
        return [
            game
            for game in games.with_names().order_by("started_at", "pk")
            if rule.takes_out(game.started_at, game.opponent_of(closure.member_id))
        ]

    def covered(self) -> Self:
        """Return games that started when both players were full members (RBB 2.1)."""
        return self.filter(_was_full("white"), _was_full("black"))

    def lock(self) -> None:
        """Lock these games until the end of the transaction, in the order of their keys.

        Facts about them that may change, such as whether they are void, must be read afterwards.
        """
        list(self.select_for_update(no_key=True).order_by("pk").values_list("pk"))

    def with_names(self) -> Self:
        """Select the related rows that a list of games shows."""
        return self.select_related("white", "black", "time_control")

    def as_shown(self, *more: str) -> Self:
        """Select only the columns that a list of games or a board shows, and ``more``: moves are long."""
        return self.with_names().only(*_SHOWN, *more)

    def places(self) -> Iterator[Place]:
        """Yield the place of each game that counts, earliest first."""
        rated = self.counting().filter(time_control__category__isnull=False)
        in_order = rated.order_by("ended_at", "tie_rank", "pk")
        columns = ("time_control__category", "ended_at", "pk", "tie_rank")
        for category, moment, pk, tie_rank in in_order.values_list(*columns).iterator():
            yield Place(category, moment, change_id(EventType.GAME, pk, tie_rank=tie_rank))


class Game(Input):
    """A game between two members. Rated ones move ratings when they end (RBB 3.11)."""

    class Result(models.TextChoices):
        """White's score first; empty for a game in progress, or one that ended without a result."""

        WHITE_WINS = "1-0", "1-0"
        DRAW = "1/2-1/2", "½-½"
        BLACK_WINS = "0-1", "0-1"

    white = models.ForeignKey(
        Member,
        on_delete=models.PROTECT,
        related_name="games_as_white",
        db_index=False,
        verbose_name=_("White"),
    )
    black = models.ForeignKey(
        Member,
        on_delete=models.PROTECT,
        related_name="games_as_black",
        db_index=False,
        verbose_name=_("Black"),
    )
    time_control = models.ForeignKey(
        TimeControl,
        on_delete=models.PROTECT,
        related_name="games",
        db_index=False,
        verbose_name=_("time control"),
    )
    rated = models.BooleanField(
        _("rated"), default=True, help_text=_("Counts towards ratings (RBB section 2).")
    )
    unrated_reason = models.CharField(
        _("why it is unrated"), max_length=255, blank=True, help_text=_("Why the game doesn’t count.")
    )
    result = models.CharField(_("result"), max_length=7, blank=True, choices=Result)
    termination = models.CharField(
        _("termination"),
        max_length=64,
        default=Termination.NORMAL,
        choices=[(one.value, name) for one, name in TERMINATION_NAMES.items()],
        help_text=_("How it ended."),
    )
    termination_word = models.CharField(
        _("other termination"),
        max_length=64,
        blank=True,
        default="",
        db_default="",
        editable=False,
        help_text=_("The word used in the file, if it isn’t one of these."),
    )
    plies = models.PositiveSmallIntegerField(
        _("plies"), null=True, blank=True, help_text=_("Number of half-moves, if known.")
    )
    started_at = models.DateTimeField(_("started at"), help_text="UTC")
    ended_at = models.DateTimeField(
        _("ended at"), null=True, blank=True, help_text=_("UTC; blank while in progress")
    )
    external_id = models.CharField(
        _("external ID"),
        max_length=200,
        null=True,
        blank=True,
        unique=True,
        help_text=_("The game’s ID or address elsewhere."),
    )
    # Without a value only where an earlier version stored the game, until the worker fills it in.
    address = models.CharField(  # noqa: DJ001
        _("address elsewhere"),
        max_length=MAX_ADDRESS,
        null=True,
        editable=False,
        help_text=_("The part that all the game’s addresses share; blank if there are none."),
    )
    possibly_same = models.ForeignKey(
        "self",
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="doubles",
        editable=False,
        db_index=False,
        verbose_name=_("possibly the same as"),
        help_text=_("An earlier report of what may be the same game. An officer decides."),
    )
    pgn = models.TextField("PGN", blank=True)
    event = models.ForeignKey(
        ArenaEvent,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="games",
        editable=False,
        db_index=False,
        verbose_name=pgettext_lazy("of an arena", "event"),
    )
    round = models.CharField(
        _("round"), max_length=MAX_ROUND, blank=True, default="", db_default="", editable=False
    )
    url = models.URLField(
        _("address"),
        max_length=MAX_ADDRESS,
        blank=True,
        default="",
        db_default="",
        editable=False,
        help_text=_("Link to the game in the arena."),
    )
    variant = models.CharField(
        _("variant"),
        max_length=MAX_VARIANT,
        blank=True,
        default=STANDARD,
        db_default=STANDARD,
        editable=False,
        help_text=_("Blank for standard chess, the only rated variant (RBB 1.1)."),
    )
    batch = models.ForeignKey(
        ImportBatch,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="games",
        editable=False,
        verbose_name=_("import batch"),
    )
    voided_at = models.DateTimeField(_("voided at"), null=True, blank=True, editable=False)
    voided_by = user_field(_("voided by"), blank=True, editable=False, db_index=False)
    void_reason = models.CharField(
        _("void reason"),
        max_length=255,
        blank=True,
        editable=False,
        help_text=_("Shown to members: one of the standard reasons, or your own words."),
    )
    void_note = models.TextField(
        _("voiding note"), blank=True, editable=False, help_text=_("For staff only, never public.")
    )

    tie_rank = models.PositiveSmallIntegerField(
        _("tie rank"),
        default=0,
        db_default=0,
        editable=False,
        help_text=_("Orders games that ended at the same time, before their keys."),
    )

    KIND: ClassVar = EventType.GAME
    RATING_FIELDS: ClassVar = frozenset(
        {"white", "black", "time_control", "rated", "result", "ended_at", "voided_at"}
    )
    """Fields that decide ratings: only a change of one of these requires a replay."""

    objects = GameQuerySet.as_manager()
    history = ChangeHistory()

    class Meta:
        verbose_name = _("game")
        verbose_name_plural = _("games")
        # Games in progress last, on every database.
        ordering = (F("ended_at").desc(nulls_last=True), "-pk")
        indexes = [
            # For replay, which reads events in this order, and for the page of the latest rated games.
            models.Index(
                fields=["ended_at", "id"],
                condition=Q(rated=True, ended_at__isnull=False, voided_at=None),
                name="game_events",
            ),
            # For the games of a member, latest first.
            models.Index(fields=["white", "ended_at"], name="game_of_white"),
            models.Index(fields=["black", "ended_at"], name="game_of_black"),
            # For the list of all games, latest first; PostgreSQL reads it backwards.
            EmptyFirstIndex(fields=["ended_at", "id"], name="game_by_end_empty_first"),
            # For ids that differ from a stored one only in case.
            models.Index(Lower("external_id"), name="game_by_id_in_any_case"),
            # For the games of an event, latest first: few among many.
            models.Index(
                fields=["event", "ended_at", "id"], condition=Q(event__isnull=False), name="game_of_event"
            ),
            # For games that come again by another address of theirs.
            models.Index(fields=["address"], name="game_by_address"),
            # For games that an officer has to tell apart, and for what a deleted game leaves: few among many.
            models.Index(
                fields=["possibly_same"], condition=Q(possibly_same__isnull=False), name="game_possibly_same"
            ),
            # For void games in the admin: few among many.
            models.Index(fields=["ended_at", "id"], condition=Q(voided_at__isnull=False), name="game_void"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=~Q(white=F("black")),
                name="game_white_is_not_black",
                violation_error_message=_("White and Black are the same member."),
            ),
            models.CheckConstraint(
                condition=Q(ended_at=None) | Q(ended_at__gte=F("started_at")),
                name="game_ends_after_start",
                violation_error_message=_("The end time is before the start time."),
            ),
            models.CheckConstraint(
                # A game that wasn't played, such as an aborted one, may end without a result, unrated.
                condition=Q(ended_at=None, result="")
                | (Q(ended_at__isnull=False) & ~Q(result=""))
                | Q(ended_at__isnull=False, rated=False, termination__in=sorted(NOT_PLAYED)),
                name="game_ends_with_result",
                violation_error_message=_("Enter both end time and result, or neither."),
            ),
            models.CheckConstraint(
                condition=Q(result__in=("", "1-0", "1/2-1/2", "0-1")),
                name="game_result_is_known",
                violation_error_message=_("Enter 1-0, 1/2-1/2 or 0-1 as the result."),
            ),
            models.CheckConstraint(
                condition=Q(voided_at=None) | ~Q(void_reason=""),
                name="game_void_says_why",
                violation_error_message=_("Say why the game is void."),
            ),
        ]

    told_by_server = False
    """True if its server has sent the end with which it is saved, and so knows it."""

    def __str__(self) -> str:
        return f"{self.white} – {self.black} {self.get_result_display()}".rstrip()

    def get_absolute_url(self) -> str:
        return address_of("ratings:game", self.pk)

    @property
    def running_clocks(self) -> RunningClocks | None:
        """The clocks of a game in progress; None once it has ended or is void."""
        is_over = self.ended_at is not None or self.voided_at is not None
        return None if is_over else RunningClocks.objects.filter(game=self).first()

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Store it like every input.

        A void game that its closure no longer covers counts again, or moves to another closure.
        """
        if self.voided_at is not None and AccountClosure.objects.filter(decided_at=self.voided_at).exists():
            closures = [closure for _member, closure in self.closures()]
            if self.voided_at not in [one.decided_at for one in closures]:
                self.become_void(closures[0] if closures else None)
        super().save(*args, **kwargs)

    def clean(self, *, asks: bool = True) -> None:
        """Check RBB section 2 and the plain facts of a game; raises ValidationError with every fault found.

        A game that a closure covers becomes void. ``asks``: compare it with stored games if it starts to
        count, and make it unrated if it is possibly one of them.
        """
        if self.white_id is None or self.black_id is None or self.time_control_id is None:
            return  # the form says which field is missing
        self.external_id = self.external_id or None
        self.address = key_of_game(self.url, self.external_id)
        faults: dict[str, list[str | Promise | ValidationError]] = {}

        def fault(field: str, text: str | Promise) -> None:
            faults.setdefault(field, []).append(text)

        if self.external_id and self.external_id != self.was("external_id"):
            lock_ids([self.external_id])
            alike = ids_alike(Game, [self.external_id]).get(id_key(self.external_id), [])
            others = {*alike} - {self.external_id, self.was("external_id")}
            if misleading := id_fault(self.external_id, others):
                fault("external_id", str(misleading))
        if self.white_id == self.black_id:
            fault("black", _("White and Black are the same member."))
        if self.started_at is None:
            fault("started_at", _("Enter when the game started."))
        elif self.ended_at is not None and self.ended_at < self.started_at:
            fault("ended_at", _("The end time is before the start time."))
        now = timezone.now()
        if self.ended_at is not None and self.ended_at > now + CLOCK_AHEAD:
            fault(
                "ended_at",
                _("The end time is in the future. Ratings only change once a game is over (RBB 3.11)."),
            )
        if (self.ended_at is None) != (not self.result) and not self.ended_unplayed:
            missing = "ended_at" if self.ended_at is None else "result"
            text = _(
                "Enter both end time and result, or neither while the game is in progress. Only an unrated "
                "game that wasn’t played, such as an aborted one, ends without a result."
            )
            fault(missing, text)
        if self.result not in ("", *self.Result.values):
            words = {"result": self.result[:40]}
            fault("result", _("“%(result)s” isn’t a result. Enter 1-0, 1/2-1/2 or 0-1.") % words)
        fits = not faults
        # A void game doesn't count, so it needn't meet the conditions for others.
        if self.voided_at is None:
            if self.started_at is not None and self.ended_at is None and self.started_at > now + CLOCK_AHEAD:
                fault("started_at", _("The start time is in the future. Enter the game once it has started."))
                fits = False
            if self.termination not in TERMINATION_NAMES:
                fits = False
                said = {"word": self.termination[:40], "words": ", ".join(Termination)}
                text = _("“%(word)s” isn’t a way for a game to end. Use one of these: %(words)s.")
                fault("termination", text % said)
            else:
                for found in self._new_contradictions():
                    field = "termination" if found.impossible in BY_WORD else "result"
                    words = {"contradiction": capfirst(contradiction_text(found)), "article": found.article}
                    text = _("%(contradiction)s. Correct the result, or how the game ended.")
                    faults.setdefault(field, []).append(ValidationError(text, params=words))
        if fits and self.rated and self.voided_at is None:
            # Someone deciding about a player meanwhile finds stored games, but doesn't yet know that this is
            # theirs.
            players = {self.white_id, self.black_id}
            new = players - {self.was("white_id"), self.was("black_id")}
            accounts = eligibility_of(new, kept=True) | eligibility_of(players - new)
            for unmet in self.unmet_conditions(accounts):
                reason = unmet_text(unmet)
                if unmet.condition in (Condition.WHITE, Condition.BLACK):
                    player = getattr(self, unmet.field)
                    reason = not_full_text(str(player), self.started_at, accounts[player.pk].full)
                told = _("It can’t be rated: %(reason)s.") % {"reason": reason}
                faults.setdefault(unmet.field, []).append(ValidationError(told, code=UNMET))
            if not faults and (closures := self.closures(accounts)):
                self.become_void(closures[0][1])
        if faults:
            raise ValidationError(faults)
        if asks and self.is_news:
            ask_about([self])

    def validate_constraints(self, exclude: Collection[str] | None = None) -> None:
        """Ask nothing of the database: ``clean`` names the field of each fault."""

    @property
    def waits(self) -> bool:
        """True for a game that is unrated until somebody has told it from another."""
        return not self.rated and self.voided_at is None and self.unrated_reason == POSSIBLY_SAME

    @property
    def arrives(self) -> bool:
        """True for a game that is new or has just ended."""
        return self.ended_at is not None and self.was("ended_at") is None

    @property
    def is_news(self) -> bool:
        """True for a game that has to be compared with others.

        It starts to count, and nobody has told it from another yet, or its facts have been corrected.
        """
        if not self.counts:
            return False
        counted = self.was("rated") and self.was("ended_at") is not None and self.was("voided_at") is None
        if not counted and self.possibly_same_id is None:
            return True
        return not self._state.adding and any(self.was(name) != getattr(self, name) for name in COMPARED)

    def contradictions(self) -> Iterator[Contradiction]:
        """Yield what is impossible about the game's end by FIDE's Laws of Chess; nothing for variants."""
        if self.variant != STANDARD:
            return
        # The file's word is ignored: staff may have corrected what it says.
        if found := contradiction_of_word(self.termination, self.result):
            yield found
        last = last_position(self.pgn) if self.pgn else None
        if last and (found := contradiction_of_moves(self.termination, self.result, last)):
            yield found

    def _new_contradictions(self) -> list[Contradiction]:
        """Return the contradictions of a game that only now has them, or is about to count.

        A stored game that stops counting may keep them; the audit finds those that still count.
        """
        says_so_now = any(self.was(name) != getattr(self, name) for name in ("result", "termination", "pgn"))
        counts_now = self.rated and (not self.was("rated") or self.was("voided_at") is not None)
        return list(self.contradictions()) if says_so_now or counts_now else []

    def unmet_conditions(self, accounts: Mapping[int, Account] | None = None) -> list[Unmet]:
        """Return why this game can't be rated (RBB section 2); empty if it can.

        ``accounts``: the two players' accounts; None to query the stored ones.
        """
        if accounts is None:
            # A queryset for each would take a third of the time of a save.
            accounts = eligibility_of((self.white_id, self.black_id))
        return why_not_rated(
            self.time_control.control,
            started_at=self.started_at,
            white=accounts[self.white_id],
            black=accounts[self.black_id],
            plies=self.plies,
            result=self.result,
            termination=self.termination,
            word=self.termination_word,
            variant=self.variant,
        )

    def closures(self, accounts: Mapping[int, Account] | None = None) -> list[tuple[int, Closure]]:
        """Return the closures that make this game void if it is rated, each with its member.

        ``accounts``: the two players' accounts; None to query the stored ones.
        """
        if accounts is None:
            accounts = eligibility_of((self.white_id, self.black_id))
        return closures_over(self.started_at, white=accounts[self.white_id], black=accounts[self.black_id])

    def become_void(self, closure: Closure | None) -> None:
        """Copy date, reason and note of a closure that makes the game void; None: make it no longer void."""
        said = (closure.decided_at, closure.category, closure.note) if closure else (None, "", "")
        self.voided_at, self.void_reason, self.void_note = said
        self.voided_by = None

    def player(self, member: int) -> Member:
        """Return the one of the two players with this key."""
        return self.white if self.white_id == member else self.black

    def opponent_of(self, member: int) -> int:
        """Return the opponent of this player."""
        return self.black_id if self.white_id == member else self.white_id

    @property
    def why_void(self) -> Any:
        """Reason for voiding the game, as shown to members."""
        known = {**dict(AccountClosure.Category.choices), **dict(PublicReason.choices)}
        return known.get(self.void_reason, self.void_reason)

    @property
    def counts(self) -> bool:
        """True if the game is an event of the ledger: rated, finished, not void."""
        return bool(self.rated and self.ended_at and self.voided_at is None)

    def is_forgotten(self, at: datetime) -> bool:
        """Return whether a game in progress has lasted longer than its control allows, as far as is known."""
        if self.ended_at is not None or self.voided_at is not None:
            return False
        return is_forgotten(self.time_control.control, self.started_at, at)

    @property
    def how_it_ended(self) -> str | None:
        """The termination, None while the game is in progress."""
        return None if self.ended_at is None else self.termination

    @property
    def ended_unplayed(self) -> bool:
        """True for a game that ended without a result, such as an aborted one; it is never rated."""
        without = self.ended_at is not None and not self.result
        return without and not self.rated and self.termination in NOT_PLAYED

    @property
    def category(self) -> Category | None:
        """The category in which this game is rated or would be."""
        category: Category | None = self.time_control.category
        return category

    @property
    def ledger_keys(self) -> tuple[int, int]:
        """The keys of the game's two rows in the ledger if it counts, White's first."""
        white = change_id(EventType.GAME, self.pk, tie_rank=self.tie_rank)
        return white, white + 1

    @property
    def place(self) -> Place | None:
        """Place of the game in the order of events; None while it doesn't count."""
        if self.counts and self.category is not None and self.ended_at is not None:
            return Place(self.category, self.ended_at, self.ledger_keys[0])
        return None


def ask_about(games: Sequence[Game]) -> None:
    """Make those of these games unrated that are likely another: nobody gains twice from one game.

    They are about to count, and aren't stored like that yet. One that arrives is compared with all stored
    games: what was taken out must not come back under another id. Others are compared with those that count,
    and with one another. What somebody has told apart stays so.
    """
    told = [GameFacts.of(game) for game in games]
    likely = likely_same(Game, told)
    found = Game.objects.filter(pk__in={key for keys in likely for key in keys})
    counting = set(found.counting().values_list("pk", flat=True)) if any(likely) else set()
    firsts = dict(found.values_list("pk", "possibly_same")) if any(likely) else {}
    before = first_of_each(told)
    for place, (game, keys) in enumerate(zip(games, likely, strict=True)):
        same = [
            key
            for key in keys
            if (game.arrives or key in counting)
            and key != game.possibly_same_id
            and (game.pk is None or firsts[key] != game.pk)
        ]
        if place in before:
            same.append(games[before[place]].pk)
        if same:
            game.possibly_same_id, game.rated, game.unrated_reason = same[0], False, POSSIBLY_SAME
        elif game.possibly_same_id not in keys:
            game.possibly_same = None


class OtherId(models.Model):
    """Another id under which a game came: from another server or file, with an address of the same game."""

    external_id = models.CharField(_("external ID"), max_length=200, unique=True)
    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="other_ids", verbose_name=_("game"))

    class Meta:
        verbose_name = _("other game ID")
        verbose_name_plural = _("other game IDs")
        default_permissions = ()

    def __str__(self) -> str:
        return self.external_id


class RunningClocks(models.Model):
    """The clocks of a game in progress, in milliseconds, and a draw offer, as its server told them last."""

    class Side(models.TextChoices):
        WHITE = "white", _("White")
        BLACK = "black", _("Black")

    game = models.OneToOneField(Game, on_delete=models.CASCADE, related_name="clocks", verbose_name=_("game"))
    white = models.PositiveIntegerField(_("White’s time left"))
    black = models.PositiveIntegerField(_("Black’s time left"))
    at = models.DateTimeField(_("at"), help_text=_("By the server’s clock."))
    draw_offer = models.CharField(_("draw offered by"), max_length=5, blank=True, choices=Side)

    class Meta:
        verbose_name = _("running clocks")
        verbose_name_plural = _("running clocks")
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.white_left} – {self.black_left}, {second(self.at)}"

    @property
    def white_left(self) -> str:
        """White's time left, as 1:30:00, 2:05 or 0:09.5."""
        return _clock(self.white)

    @property
    def black_left(self) -> str:
        """Black's time left."""
        return _clock(self.black)


def _clock(milliseconds: int) -> str:
    seconds, rest = divmod(milliseconds, 1000)
    hours, minutes = seconds // 3600, seconds // 60 % 60
    left = f"{hours}:{minutes:02}" if hours else f"{minutes}"
    tenths = f".{rest // 100}" if seconds < _TENTHS_BELOW else ""
    return f"{left}:{seconds % 60:02}{tenths}"
