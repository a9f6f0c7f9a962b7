"""Files of games, starting ratings and new members, imported by staff."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import Any, BinaryIO, Final

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext_lazy as _

from foa.said import gettext, ngettext
from members.importing import COLUMNS as MEMBER_COLUMNS
from members.importing import import_members, read_members
from members.models import AccountClosure, Member
from ratings.formats.csv_rows import Rows, read_rows
from ratings.formats.game_details import DETAIL_COLUMNS
from ratings.formats.game_files import ENDINGS, PGN, ending_of, games_of
from ratings.formats.games import COLUMNS as GAME_COLUMNS
from ratings.formats.games import UNMARKED, EndBy, GameRow
from ratings.office.decision_types import Decision, Parameters, register
from ratings.office.effects import Effect, Fact, Sentence
from ratings.office.importing import FileForm, FileReport, ImportKind
from ratings.rbb.decisions.base import LedgerKind, effect_of
from ratings.rbb.ledger.game_files import import_games
from ratings.rbb.ledger.game_import import GamesImported, Taken, Words
from ratings.rbb.ledger.openings import COLUMNS as OPENING_COLUMNS
from ratings.rbb.ledger.openings import OPTIONAL_COLUMNS, import_openings
from ratings.rbb.models import Game, ImportBatch, OpeningRating
from ratings.rules.time_controls import Control

_WORDS: Final = Words(unknown="register the member first, or register unknown players")
"""Advice for the browser, where options are fields of a form."""

_TAKEN_BACK: Final = 1_000
"""Maximum number of a file's starting ratings that one decision takes back, since it names each of them."""


class GamesFileForm(FileForm):
    """Form for a file of games, and for information that it may lack."""

    create_members = forms.BooleanField(
        label=_("Register unknown players"),
        required=False,
        help_text=_("As full members from the earliest date."),
    )
    rate_unmarked = forms.BooleanField(
        label=_("Rate games marked neither “rated” nor “casual”"),
        required=False,
        help_text=_("Only for PGN."),
    )
    time_control = forms.CharField(
        label=_("Time control for games without one"),
        required=False,
        max_length=20,
        help_text=_("Only for PGN: seconds and increment, such as 600+10."),
    )

    def clean_time_control(self) -> Control | None:
        """Return the time control, None if the field is empty."""
        text = self.cleaned_data["time_control"]
        try:
            return Control.parse(text) if text else None
        except ValueError as error:
            raise ValidationError(str(error)) from error


@register
class ImportGames(ImportKind, LedgerKind):
    """Decision to store and rate the new games of a file."""

    name = "import-games"
    title = _("Import games")
    register_title = _("Games imported")
    button = _("Import the games")
    permission = "ratings.add_game"
    form = GamesFileForm
    columns = GAME_COLUMNS
    optional = DETAIL_COLUMNS
    endings = ENDINGS
    about = _("Arena games as CSV, XLSX or PGN. Games already stored are left unchanged.")
    lists = ("ratings.game",)
    also_needs = {"create_members": "members.add_member"}

    def brought(self, parameters: Parameters) -> tuple[QuerySet[Any], str] | None:
        if "batch" not in parameters:
            return None
        (batch,) = parameters["batch"]
        games: Any = Game.objects.filter(batch=int(batch))
        address = f"{reverse('admin:ratings_game_changelist')}?{urlencode({'batch': batch})}"
        return games.with_names().order_by("-ended_at", "-pk"), address

    def offer(self, option: str, number: int) -> tuple[str, str]:
        """Offer to register unknown players."""
        button = ngettext("Register %d member", "Register %d members", number)
        return gettext("players who are not registered"), button % number

    def take(self, file: BinaryIO, decision: Decision, report: FileReport) -> Effect:
        asked, outcome = decision.asked, hashlib.sha256()
        ending = ending_of(asked["source"])

        def note(row: GameRow, taken: Taken) -> None:
            outcome.update(f"{row.line} {taken.value}\n".encode())

        with games_of(
            file,
            ending,
            rate_unmarked=asked["rate_unmarked"],
            control=asked["time_control"],
            on_remark=report.remarks.append,
        ) as rows:
            result = import_games(
                rows=rows,
                source=asked["source"],
                sha256=asked["sha256"],
                at=decision.at,
                create_members=asked["create_members"],
                keeps_order=ending == PGN,
                words=_WORDS,
                on_taken=note,
                on_refused=report.refused.append,
                progress=lambda done: decision.tell(done, None, gettext("Replaying events.")),
            )
        report.read_as = rows.read_as if isinstance(rows, Rows) else "PGN"
        report.said = list(_said_of(result))
        if unmarked := result.unrated[UNMARKED]:
            button = ngettext("Rate %d game", "Rate %d games", unmarked)
            report.offers.append(("rate_unmarked", button % unmarked))
        effect = effect_of(result.replayed)
        # Games are facts. The user confirms which rows are stored; the resulting ratings depend on games that
        # are still being played.
        effect.is_forecast = True
        effect.facts += _counted(
            outcome.hexdigest(),
            (gettext("Games stored"), "stored", result.stored),
            (gettext("Games in progress that are now finished"), "finished", result.finished),
            (gettext("Games kept unrated that are now rated"), "marked", result.marked),
            (gettext("Members registered"), "members", result.members_created),
        )
        effect.outcome = [Sentence(one) for one in report.said]
        if result.stored:
            brought = {
                "batch": [str(result.batch)],
                "member": list(map(str, result.new_members)),
                "changed": [str(result.finished + result.marked)],
            }
            effect.undo = ("take-back-games", brought)
        _note_batch(effect, result.batch, decision)
        return effect


_END_FOUND: Final = {
    EndBy.TAGS: _("Games with an end time in their tags: %d."),
    EndBy.MOVE_TIMES: _("Games whose end time was worked out from the move times: %d."),
    EndBy.CLOCKS: _("Games whose end time was worked out from the clock times: %d."),
    EndBy.START: _("Games with only a start time, which count as ended then: %d."),
    EndBy.DAY: _("Games with only a date, which count as ended at the end of that day: %d."),
}


def _said_of(result: GamesImported) -> Any:
    """Describe the outcome for the games, sentence by sentence."""
    yield gettext(
        "Games read: %(read)d. New: %(stored)d. Already there: %(there)d. Refused: %(refused)d."
    ) % {
        "read": result.read,
        "stored": result.stored,
        "there": result.already_there,
        "refused": result.refused,
    }
    yield gettext("New games that count for ratings: %d.") % result.rated
    for why, games in Counter(result.unrated).most_common():
        yield gettext("Kept unrated: %(games)d (%(why)s).") % {"games": games, "why": gettext(why)}
    for why, games in result.void.most_common():
        told = gettext("Void because an account is closed: %(games)d (%(why)s).")
        yield told % {"games": games, "why": AccountClosure.Category(why).label}
    for end_by, games in result.ends.most_common():
        yield _END_FOUND[end_by] % games
    for assumed, games in result.assumed.most_common():
        yield gettext("Games %(assumed)s: %(games)d.") % {"games": games, "assumed": gettext(assumed)}
    if result.misleading.number:
        told = gettext("New members whose names mix alphabets within a word: %s.")
        yield told % result.misleading
    if result.too_long.number:
        told = gettext("Longer than the time control allows: %(number)d (lines %(lines)s).")
        yield told % {"number": result.too_long.number, "lines": result.too_long.named}
    if result.possibly_same.number:
        told = gettext("Possibly stored already, so unrated until an officer has checked them: %s.")
        yield told % result.possibly_same
    if result.overlapping.number:
        yield gettext("Rated games that overlap another game of the same player: %s.") % result.overlapping


@register
class ImportOpenings(ImportKind, LedgerKind):
    """RBB 3.4: decision to import first ratings from an earlier system."""

    name = "import-openings"
    title = _("Import starting ratings")
    register_title = _("Starting ratings imported")
    button = _("Import the starting ratings")
    permission = "ratings.add_openingrating"
    columns = (*OPENING_COLUMNS, *OPTIONAL_COLUMNS)
    about = _("Starting ratings from an earlier system (RBB 3.4), one for each member and category.")
    lists = ("ratings.openingrating",)

    def take(self, file: BinaryIO, decision: Decision, report: FileReport) -> Effect:
        asked = decision.asked
        rows = read_rows(file, required=OPENING_COLUMNS, optional=OPTIONAL_COLUMNS)
        result = import_openings(
            rows=rows,
            source=asked["source"],
            sha256=asked["sha256"],
            at=decision.at,
            on_refused=report.refused.append,
            progress=lambda done: decision.tell(done, None, gettext("Replaying events.")),
        )
        report.read_as = rows.read_as
        report.said = [
            gettext("Rows read: %(read)d. New: %(stored)d. Already there: %(there)d. Refused: %(refused)d.")
            % {
                "read": result.read,
                "stored": result.stored,
                "there": result.already_there,
                "refused": result.refused,
            }
        ]
        if result.not_applied:
            told = gettext("Not used, because these members already had a rating from games: %s.")
            report.said.append(told % ", ".join(result.not_applied))
        if result.early.number:
            told = gettext("Dated before full membership (RBB 3.4): %s.")
            report.said.append(told % result.early)
        effect = effect_of(result.replayed)
        effect.outcome = [Sentence(one) for one in report.said]
        if result.batch is None:
            return effect
        stored = OpeningRating.objects.filter(batch=result.batch).order_by("pk")
        said = "\n".join(f"{one.member_id} {one.category} {one.rating}" for one in stored)
        effect.facts += _counted(
            hashlib.sha256(said.encode()).hexdigest(),
            (gettext("Starting ratings stored"), "stored", result.stored),
        )
        if result.stored <= _TAKEN_BACK:
            effect.undo = ("delete-openings", {"openingrating": [str(one.pk) for one in stored]})
        _note_batch(effect, result.batch.pk, decision)
        return effect


@register
class ImportMembers(ImportKind, LedgerKind):
    """Decision to register new members, and add spans of full membership."""

    name = "import-members"
    title = _("Import new members")
    button = _("Import the members")
    permission = "members.add_member"
    is_public = False
    columns = MEMBER_COLUMNS
    about = _("New members, and further periods of full membership. Existing members are left unchanged.")
    lists = ("members.member",)

    def brought(self, parameters: Parameters) -> tuple[QuerySet[Any], str] | None:
        return Member.objects.filter(pk__in=parameters.get("member", ())).order_by("name", "pk"), ""

    def take(self, file: BinaryIO, decision: Decision, report: FileReport) -> Effect:
        rows = read_members(file)
        result = import_members(rows=rows, on_refused=report.refused.append, on_remark=report.remarks.append)
        report.read_as = rows.read_as
        report.said = [
            gettext(
                "Rows read: %(read)d. New members: %(stored)d. New full memberships: %(spans)d. Already "
                "there: %(there)d. Refused: %(refused)d."
            )
            % {
                "read": result.read,
                "stored": result.stored,
                "spans": result.spans_added,
                "there": result.already_there,
                "refused": result.refused,
            }
        ]
        if result.spans_added and (games := Game.objects.kept_unrated().covered().count()):
            told = gettext(
                "Games kept unrated for lack of full membership (RBB 2.1) that are now covered: "
                "%d. Rate them in the list of games."
            )
            report.said.append(told % games)
        facts = _counted(
            "",
            (gettext("Members registered"), "stored", result.stored),
            (gettext("Full memberships added"), "spans", result.spans_added),
        )
        effect = Effect(facts=facts, outcome=[Sentence(one) for one in report.said])
        if facts:
            brought = {"member": list(map(str, result.new_members)), "span": list(map(str, result.new_spans))}
            effect.undo = ("take-back-members", brought)
        return effect


def _counted(digest: str, *counts: tuple[str, str, int]) -> list[Fact]:
    """Return what is stored, in figures. ``digest``: covers what the figures are about."""
    return [
        Fact("inputs", f"{key} {digest}".strip(), label, after=str(number))
        for label, key, number in counts
        if number
    ]


def _note_batch(effect: Effect, batch: int, decision: Decision) -> None:
    """Record in the import who brought the file."""
    imports = ImportBatch.objects.filter(pk=batch)
    imports.update(imported_by=decision.by)
    effect.objects = list(imports)
