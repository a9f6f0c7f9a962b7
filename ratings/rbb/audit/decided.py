"""The audit of applied change sets against the inputs that they are about."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain, groupby
from operator import attrgetter
from typing import Any, Final, NamedTuple

from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from members.models import AccountClosure, Member
from ratings.office.audit import Finding, audited
from ratings.office.bulk import batches
from ratings.office.effects import AboutRow, Fact
from ratings.office.models import ChangeSet
from ratings.rbb.decisions.games import CorrectGame, DeleteGames, EnterGame
from ratings.rbb.decisions.inputs import (
    CorrectAdjustment,
    CorrectInput,
    CorrectOpening,
    DeleteAdjustments,
    DeleteInputs,
    DeleteOpenings,
    EnterAdjustment,
    EnterInput,
    EnterOpening,
)
from ratings.rbb.models import Game
from ratings.rules.rbb.conditions import NOT_FULL

_AT_ONCE: Final = 2_000


class Statement(NamedTuple):
    """A change set's statement about rows of a model. ``holds`` tests each row, or None if it is missing.

    ``mends``: the kind of decision that would repeat it, with one of the rows as its parameter.
    """

    model: type[Any]
    keys: list[int]
    text: str
    holds: Callable[[Any], bool]
    mends: str = ""
    words: Mapping[str, str] = {}


def _is_there(row: Any) -> bool:
    return row is not None


def _is_gone(row: Any) -> bool:
    return row is None


_void = partial(
    Statement,
    Game,
    text=gettext_noop("Decision #%(number)s voided %(what)s, but it isn’t void."),
    holds=lambda game: game is None or game.voided_at is not None,
    mends="void-games",
)
_counting = partial(
    Statement,
    Game,
    text=gettext_noop("Decision #%(number)s reinstated %(what)s, but it is void."),
    holds=lambda game: game is None or game.voided_at is None,
    mends="reinstate-games",
)
_rated = partial(
    Statement,
    Game,
    text=gettext_noop("Decision #%(number)s rated %(what)s, but it is unrated."),
    holds=lambda game: game is None or game.rated or game.unrated_reason not in NOT_FULL,
    mends="rate-games",
)
_unrated = partial(
    Statement,
    Game,
    text=gettext_noop("Decision #%(number)s made %(what)s unrated, but it is rated."),
    holds=lambda game: game is None or not game.rated,
)
_merged = partial(
    Statement,
    Member,
    text=gettext_noop("Decision #%(number)s merged %(what)s into another account, but it isn’t merged."),
    holds=lambda member: member is None or member.merged_into_id is not None,
)
_not_merged = partial(
    Statement,
    Member,
    text=gettext_noop("Decision #%(number)s reversed the merge of %(what)s, but it is still merged."),
    holds=lambda member: member is None or member.merged_into_id is None,
)
_ENTERED: Final = gettext_noop("Decision #%(number)s entered %(what)s, but it isn’t stored.")
_DELETED: Final = gettext_noop("Decision #%(number)s deleted %(what)s, but it is still stored.")
_CORRECTED: Final = gettext_noop(
    "Decision #%(number)s corrected %(what)s, setting %(field)s to “%(said)s”. It now has a different value."
)


def _keys(parameters: Mapping[str, Any] | None, *names: str) -> list[int]:
    """Return the keys among a change set's parameters."""
    return [int(key) for name in names for key in (parameters or {}).get(name, ())]


def _undo_keys(decided: ChangeSet, *names: str) -> list[int]:
    """Return the keys of rows that a change set created, from its undo."""
    return _keys((decided.undo or {}).get("parameters"), *names)


def _of_facts(decided: ChangeSet) -> Iterator[Statement]:
    """Yield what a decision's effect says about games that changed as a consequence, one by one."""
    for row, before, after in _facts(decided):
        if row.model != "game" or row.field not in ("", "void"):
            continue
        if after in ("void", "counts"):
            yield (_void if after == "void" else _counting)(keys=[row.pk])
        elif after == "rated":
            yield _rated(keys=[row.pk])
        elif before == "rated":
            yield _unrated(keys=[row.pk])


def _facts(decided: ChangeSet) -> Iterator[tuple[AboutRow, str, str]]:
    """Yield the values before and after of the rows that a change set changed."""
    for kept in decided.shown.get("facts", ()):
        fact = Fact(*kept)
        if fact.row is not None:
            yield fact.row, fact.before, fact.after


def _corrected(kind: type[CorrectInput], decided: ChangeSet) -> Iterator[Statement]:
    """Yield an input's corrected fields that affect ratings, except references to other rows."""
    model = kind.model

    def is_so(name: str, value: str, row: Any) -> bool:
        return row is None or kind().values(row, (name,))[name] == value

    for row, _before, after in _facts(decided):
        name = row.field
        if row.model != model._meta.model_name or name not in model.RATING_FIELDS:
            continue
        if not model._meta.get_field(name).is_relation:
            said = partial(is_so, name, after)
            yield Statement(model, [row.pk], _CORRECTED, said, words={"field": name, "said": after})


def _inputs(
    enter: type[EnterInput], correct: type[CorrectInput], delete: type[DeleteInputs]
) -> dict[str, Callable[[ChangeSet], Iterable[Statement]]]:
    """Return what the three kinds of decisions about the inputs of a model say."""
    model, name = correct.model, correct.model._meta.model_name
    return {
        enter.name: lambda decided: [Statement(model, _undo_keys(decided, name), _ENTERED, _is_there)],
        correct.name: partial(_corrected, correct),
        delete.name: lambda decided: [Statement(model, _keys(decided.parameters, name), _DELETED, _is_gone)],
    }


_STATEMENTS: Final[Mapping[str, Callable[[ChangeSet], Iterable[Statement]]]] = {
    "void-games": lambda decided: [_void(keys=_keys(decided.parameters, "game"))],
    "reinstate-games": lambda decided: [_counting(keys=_keys(decided.parameters, "game"))],
    "rate-games": lambda decided: [_rated(keys=_keys(decided.parameters, "game"))],
    "unrate-games": lambda decided: [_unrated(keys=_keys(decided.parameters, "white", "black", "both"))],
    **_inputs(EnterGame, CorrectGame, DeleteGames),
    **_inputs(EnterOpening, CorrectOpening, DeleteOpenings),
    **_inputs(EnterAdjustment, CorrectAdjustment, DeleteAdjustments),
    "close-account": lambda decided: chain(
        [Statement(AccountClosure, _undo_keys(decided, "closure"), _ENTERED, _is_there)], _of_facts(decided)
    ),
    "reopen-account": lambda decided: chain(
        [Statement(AccountClosure, _keys(decided.parameters, "closure"), _DELETED, _is_gone)],
        _of_facts(decided),
    ),
    "merge-members": lambda decided: chain([_merged(keys=_undo_keys(decided, "merge"))], _of_facts(decided)),
    "unmerge-members": lambda decided: chain(
        [_not_merged(keys=_keys(decided.parameters, "merge"))], _of_facts(decided)
    ),
    "change-membership": _of_facts,
    "change-member": _of_facts,
    "update-members": _of_facts,
    "revert-members": _of_facts,
}


@audited("decisions-carried-out", "RBB 3.11", _("Stored data that doesn’t match an applied decision"))
def decisions_carried_out() -> Iterator[Finding]:
    """Find inputs that never matched a decision, or that changed later without a record.

    Later decisions and entries are in the input's history.
    """
    applied = ChangeSet.objects.filter(state=ChangeSet.State.APPLIED, kind__in=_STATEMENTS)
    for decided in applied.order_by("pk").iterator(_AT_ONCE // 20):
        told = sorted(_STATEMENTS[decided.kind](decided), key=lambda statement: statement.text)
        # One query for all games about which a decision says the same.
        for _text, some in groupby(told, key=attrgetter("text", "holds")):
            first, *others = some
            keys = sorted({*first.keys, *(key for statement in others for key in statement.keys)})
            for batch in batches(keys, _AT_ONCE):
                yield from _contradicted(decided, first, batch)


def _contradicted(decided: ChangeSet, statement: Statement, keys: Iterable[int]) -> Iterator[Finding]:
    rows = statement.model._base_manager
    stored = (rows.defer("pgn") if statement.model is Game else rows).in_bulk(list(keys))
    wrong = [key for key in keys if not statement.holds(stored.get(key))]
    history = statement.model.history.filter(id__in=wrong).order_by("id", "history_id")
    known = {key: list(changes) for key, changes in groupby(history, key=attrgetter("id"))} if wrong else {}
    for key in wrong:
        row, changes = stored.get(key), known.get(key, [])
        if not _is_explained(statement, row, changes, decided):
            what = f"{statement.model._meta.model_name} {key}"
            name = "game" if statement.model is Game else statement.model._meta.model_name
            yield Finding(
                f"change set {decided.pk} {what} {statement.words.get('field', '')}".strip(),
                statement.text,
                {"number": str(decided.pk), "what": f"{row or what} ({name} {key})", **statement.words},
                reverse("admin:office_changeset_change", args=(decided.pk,)),
                (statement.mends, {"game": [str(key)]}) if statement.mends and row is not None else None,
            )


def _is_explained(statement: Statement, row: Any, changes: list[Any], decided: ChangeSet) -> bool:
    """Return True if the row was as the decision says, and its history records any later change."""
    before = [change for change in changes if change.history_date < decided.proposed_at][-1:]
    since = [change for change in changes if change.history_date >= decided.proposed_at]
    was_so = any(
        statement.holds(stood)
        for change in (*before, *since)
        for stood in ((change, None) if change.history_type == "-" else (change,))
    )
    if not was_so or row is None:
        return was_so
    last = changes[-1]
    # A row entered again after a deletion may lack its own history line. A later decision speaks for itself.
    is_another = last.change_set not in (None, decided.pk)
    return last.history_type == "-" or is_another or not statement.holds(last)
