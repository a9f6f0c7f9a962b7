"""References to a member: games, openings and adjustments, published lines, decisions and findings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from django.apps import apps
from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import DEFAULT_DB_ALIAS, models
from django.db.models import Q
from django.db.models.deletion import Collector

from foa.history import name_author
from foa.said import gettext as _
from members.models import Member
from ratings.office.bulk import batches
from ratings.office.effects import AboutRow
from ratings.office.models import AuditFinding, ChangeSet
from ratings.office.personal import AT_ONCE, Called, Erasing, Person, Table, fitting, rewrite, table, values
from ratings.office.relations import Declaration, Merging, Relation
from ratings.rbb.models import Game, RatingList, RatingListEntry
from ratings.rbb.personal import pseudonym

Dumped = tuple[str, dict[str, str | None]]
"""A model's label, and a row's columns as text."""


def dumped(row: models.Model) -> Dumped:
    """Return a row with all its columns."""
    fields = row._meta.concrete_fields
    return row._meta.label, {
        field.attname: None if getattr(row, field.attname) is None else field.value_to_string(row)
        for field in fields
    }


def as_read(rows: Any) -> list[Dumped]:
    """Return rows from JSON in a form comparable with stored ones."""
    return [(label, columns) for label, columns in rows]


def loaded(row: Dumped) -> Any:
    """Return the unsaved object of a row."""
    model = apps.get_model(row[0])
    fields = {field.attname: field for field in model._meta.concrete_fields}
    return model(
        **{name: None if text is None else fields[name].to_python(text) for name, text in row[1].items()}
    )


def delete_with_all(row: Any, *, by: Any, note: str) -> list[Dumped]:
    """Delete a row; return all rows deleted with it, this one first."""
    collector = Collector(using=DEFAULT_DB_ALIAS, origin=row)
    collector.collect([row])
    found = {one: None for some in collector.data.values() for one in some}
    found |= {one: None for some in collector.fast_deletes for one in some}
    rows = sorted(found, key=lambda one: one != row)
    gone = [dumped(one) for one in rows]
    name_author(row, by, note)
    row.delete()
    return gone


def restore(rows: list[Dumped], *, by: Any, note: str) -> None:
    """Store rows again, with their former keys."""
    for row in rows:
        one = loaded(row)
        name_author(one, by, note)
        one.save(force_insert=True)


SAME_PERSON: Final = "White and Black are the same person"
"""Reason why a game is unrated whose two players were merged. Members see it, like texts from files."""

_TEXTS: Final = ("unrated_reason", "termination_word", "void_reason", "void_note")
_TAG: Final = r'^[ \t]*\[{colour}{more}\s+"(?:[^"\\\n]|\\.)*"\][ \t]*(?:\r?\n)?'


class Games(Declaration):
    """Games with either colour, and their histories.

    Games between two merged accounts become unrated.
    """

    relations = ("ratings.Game.white", "ratings.Game.black")
    kept_as = "Games"

    def merge(self, work: Merging) -> Any:
        """Move the games; return them by colour, with the rated ones between the two."""
        member, other = work.member, work.other
        Game.objects.of(other.pk).lock()
        between = Q(white=member, black=other) | Q(white=other, black=member)
        own = dict(
            Game.objects.filter(between, rated=True).order_by("pk").values_list("pk", "unrated_reason")
        )
        for game in Game.objects.with_names().filter(pk__in=own).order_by("ended_at", "pk"):
            told = _("%(game)s: they played each other, so the game becomes unrated.") % {"game": game}
            work.warn(f"game {game.pk}", told)
        _change(work, list(own), rated=False, unrated_reason=SAME_PERSON)
        kept: dict[str, Any] = {"own": list(own.items())}
        for colour in ("white", "black"):
            games = Game.objects.filter(**{colour: other}).exclude(between).order_by("pk")
            kept[colour] = list(games.values_list("pk", flat=True))
            _change(work, kept[colour], **{colour: member})
        if number := len(kept["white"]) + len(kept["black"]):
            work.tell_moved(Game, "players", number)
        return kept

    def give_back(self, work: Merging, kept: Any) -> None:
        """Give back games that are still the member's, and those between the two that are still unrated.

        Games that came under a name of the other since the merge go to them too.
        """
        gone = back = 0
        for colour in ("white", "black"):
            moved = set(kept[colour])
            came = work.arrived_besides(f"ratings.Game.{colour}", moved)
            for some in batches([*kept[colour], *came], AT_ONCE):
                Game.objects.filter(pk__in=some).lock()
                found = Game.objects.filter(pk__in=some, **{colour: work.member}).order_by("pk")
                keys = list(found.values_list("pk", flat=True))
                back += len(keys)
                gone += len(moved.intersection(some) - set(keys))
                _change(work, keys, **{colour: work.other})
        if back:
            work.tell_moved(Game, "players", back, back=True)
        if gone:
            work.tell_gone(Game, "players", gone)
        for key, reason in kept["own"]:
            Game.objects.filter(pk=key).lock()
            own = Game.objects.with_names().filter(pk=key, rated=False, unrated_reason=SAME_PERSON)
            for game in own:
                work.tell("inputs", str(AboutRow("game", key)), str(game), before="unrated", after="rated")
                _change(work, [key], rated=True, unrated_reason=reason)

    def tables(self, person: Person) -> Iterator[Table]:
        """Yield the games, with their moves."""
        columns = (
            "id",
            "external_id",
            "white__username",
            "black__username",
            "time_control__initial",
            "time_control__increment",
            "time_control__written",
            "rated",
            "unrated_reason",
            "result",
            "termination",
            "started_at",
            "ended_at",
            "voided_at",
            "void_reason",
            "event__name",
            "round",
            "url",
            "variant",
            "pgn",
        )
        yield table("games", _of(Game, person).order_by("started_at", "pk"), columns)
        noted = _of(Game, person).exclude(void_note="").order_by("pk")
        yield table("games-notes", noted, ("id", "void_note"), for_staff=True)

    def erase(self, work: Erasing) -> None:
        """Erase the player's tags, and their names in all other text."""
        for model, key in ((Game, "pk"), (Game.history.model, "history_id")):
            number = 0
            rows = _of(model, work.person).only(key, "white_id", "black_id", "pgn", *_TEXTS)
            for row in rows.order_by(key).iterator(AT_ONCE):
                number += _rewrite(row, work.person, key)
            work.tell_rows(model, number)


def without_player(pgn: str, colour: str, called: str) -> str:
    """Return a PGN with this name for one player (“White”, “Black”), without that player's other tags."""
    named = _TAG.format(colour=colour, more="")
    found = re.sub(named, lambda _tag: f'[{colour} "{called}"]\n', pgn, flags=re.M)
    return re.sub(_TAG.format(colour=colour, more=r"\w+"), "", found, flags=re.M)


def _of(model: Any, person: Person) -> Any:
    return model._base_manager.filter(Q(white__in=person.keys) | Q(black__in=person.keys))


def _rewrite(row: Any, person: Person, key: str) -> bool:
    called, keys = person.called, person.keys
    pgn = row.pgn
    for colour, player in (("White", row.white_id), ("Black", row.black_id)):
        if pgn and player in keys:
            pgn = without_player(pgn, colour, f"withdrawn-{player}")
    now = {"pgn": called.out_of(pgn)}
    now |= {name: fitting(row, name, called.out_of(getattr(row, name))) for name in _TEXTS}
    changed = {name: text for name, text in now.items() if text != getattr(row, name)}
    if changed:
        type(row)._base_manager.filter(**{key: getattr(row, key)}).update(**changed)
    return bool(changed)


def _change(work: Merging, keys: list[int], **values: Any) -> None:
    """Change games together, with their histories."""
    for some in batches(keys, AT_ONCE):
        work.change(Game.objects.filter(pk__in=some).order_by("pk"), **values)


class _OnceEach(Relation):
    """Inputs that a member can have only once: if both have one, the other account's is deleted."""

    def merge(self, work: Merging) -> Any:
        """Return the rows that moved, and the deleted rows with everything deleted with them."""
        moved, stuck = self.hand_over_all(work)
        told = _("%(row)s: both have one; %(member)s’s is kept.")
        for row in stuck:
            work.warn(f"{self.label} {row.pk}", told % {"row": row, "member": work.member})
        return {"moved": moved, "gone": [delete_with_all(row, by=work.by, note=work.note) for row in stuck]}

    def give_back(self, work: Merging, kept: Any) -> None:
        """Give back the moved rows, and restore the deleted ones."""
        super().give_back(work, kept["moved"])
        for rows in kept["gone"]:
            restore(rows, by=work.by, note=work.note)


class Openings(_OnceEach):
    """Starting ratings. The rules apply the earlier of two (RBB 3.4); at one moment, the higher."""

    kept_as = "Openings"

    def merge(self, work: Merging) -> Any:
        """Merge like other parts, and warn of two rows in one category."""
        both = self.rows(member__in=(work.member, work.other))
        categories: dict[Any, list[Any]] = {}
        for one in both.order_by("effective_at", "-rating", "pk"):
            categories.setdefault(one.category, []).append(one)
        for category, some in sorted(categories.items()):
            if len({one.member_id for one in some}) > 1:
                told = _("Both have a starting rating in %(category)s. This one counts: %(opening)s.")
                words = {"category": category.slug, "opening": some[0]}
                work.warn(f"openings {category.slug}", told % words, str(some[0].pk))
        return super().merge(work)


class Adjustments(_OnceEach):
    """Over-the-board adjustments: only one for a list period counts (RBB 3.15)."""

    kept_as = "Adjustments"


class PublishedLines(Declaration):
    """Lines of published lists. They keep rank and rating, and the list says that its file has changed."""

    relations = ("ratings.RatingListEntry.member",)

    def tables(self, person: Person) -> Iterator[Table]:
        """Yield the lines, as they were published."""
        columns = (
            "rating_list__category",
            "rating_list__month",
            "rating_list__revision",
            "rank",
            "username",
            "name",
            "fide_id",
            "title",
            "federation",
            "sex",
            "birth_year",
            "rating",
            "games",
        )
        rows = RatingListEntry.objects.filter(member__in=person.keys).order_by("rating_list", "pk")
        yield table("published-lines", rows, columns)

    def erase(self, work: Erasing) -> None:
        """Erase names in place: a revision would suggest that ratings were wrong."""
        lists: set[int] = set()
        number = 0
        for one in work.person.accounts:
            lines = RatingListEntry.objects.filter(member=one).order_by()
            lists.update(lines.values_list("rating_list", flat=True))
            new = pseudonym(one)
            number += lines.update(
                username=new.username, name=new.name, fide_id=None, title="", sex="", birth_year=None
            )
        RatingList.objects.filter(pk__in=lists).update(withdrawn_at=work.at)
        work.tell_rows(RatingListEntry, number)


class Decisions(Declaration):
    """Change sets that name the member. Their effects stay, and so do the means to undo them."""

    def tables(self, person: Person) -> Iterator[Table]:
        """Yield the decisions about the person, and separately the notes of staff."""
        found = person.called.match(ChangeSet, _OF_CHANGE_SETS)
        columns = ("id", "kind", "state", "public_reason", "public_text", "proposed_at", "applied_at")
        yield table("decisions", found, columns)
        yield table("decisions-notes", found, ("id", "staff_note"), for_staff=True)

    def erase(self, work: Erasing) -> None:
        """Replace the person's names in parameters, texts shown and notes."""
        called = work.person.called
        number = 0
        for one in called.match(ChangeSet, _OF_CHANGE_SETS).iterator(AT_ONCE):
            was = one.parameters, one.undo, one.shown, one.outcome, one.subject_meant
            one.parameters = _asked(called, one.parameters)
            if one.undo:
                one.undo = {**one.undo, "parameters": _asked(called, one.undo["parameters"])}
            if one.shown:
                facts = [[section, *called.out_of_json(rest)] for section, *rest in one.shown["facts"]]
                meant = called.out_of_json(one.shown.get("meant"))
                one.shown = {**one.shown, "facts": facts, "meant": meant}
            one.outcome = called.out_of_json(one.outcome)
            one.subject_meant = called.out_of_json(one.subject_meant)
            changed = was != (one.parameters, one.undo, one.shown, one.outcome, one.subject_meant)
            if changed:
                one.save(update_fields=["parameters", "undo", "shown", "outcome", "subject_meant"])
            number += rewrite(one, called, ("subject", "staff_note", "public_text")) or changed
        work.tell_rows(ChangeSet, number)


class Findings(Declaration):
    """Findings of the audit that name the member. Those that are still true will be found again."""

    def erase(self, work: Erasing) -> None:
        """Delete the findings: with different words they wouldn't be the accepted ones."""
        called = work.person.called
        found = called.match(AuditFinding, ("words", "key"))
        keys = [
            one.pk for one in found if called.is_in(one.key) or called.out_of_json(one.words) != one.words
        ]
        AuditFinding.objects.filter(pk__in=keys).delete()
        work.tell_rows(AuditFinding, len(keys))


class Log(Declaration):
    """The admin's log. Entries about the member's own row may name them in any form."""

    def tables(self, person: Person) -> Iterator[Table]:
        """Yield when and what was changed, but not by which user."""
        rows = _log_of(person)
        yield Table("log", ("action_time", "change_message"), values(rows, ("action_time", "change_message")))

    def erase(self, work: Erasing) -> None:
        """Replace the names in the log; the changed fields and the times stay."""
        rows = _log_of(work.person)
        work.tell("admin.LogEntry", rows.update(object_repr=work.person.called.instead), "log")


_OF_CHANGE_SETS = (
    *("parameters", "undo", "shown", "outcome", "subject", "subject_meant", "staff_note", "public_text"),
)


def _log_of(person: Person) -> Any:
    content_type = ContentType.objects.get_for_model(Member)
    keys = [str(key) for key in person.keys]
    return LogEntry.objects.filter(content_type=content_type, object_id__in=keys).order_by("pk")


def _asked(called: Called, parameters: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return a decision's parameters without the names. Numbers are keys of rows, except a FIDE ID."""
    return {
        name: [text if text.isdigit() and name != "fide_id" else called.out_of(text) for text in told]
        for name, told in parameters.items()
    }
