"""Shared parts of over-the-board decisions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Exists, OuterRef, Subquery
from django.urls import reverse
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from foa.said import capital, gettext, ngettext, plain
from foa.text import NOTHING, whole
from ratings.fide.models import FidePlayer
from ratings.formats.problems import FileRefused
from ratings.office.decision_types import Decision, DecisionType
from ratings.office.effects import Effect, Fact, Move, Sentence
from ratings.otb.labels import finding_sentence
from ratings.otb.models import CHAPTER_NAMES, KIND_NAMES, OtbList, OtbListEntry, Tournament
from ratings.otb.services.judging import NotPossible
from ratings.otb.services.publishing import enter_open_list
from ratings.otb.services.rating import RatedTournament
from ratings.otb.services.receiving import ReportRefused
from ratings.rules.b02.time_controls import Chapter
from ratings.rules.units import Hundredths, Points


class OtbKind(DecisionType):
    """A decision over the board. Its subjects, whose ratings move, are FIDE IDs."""

    words = {
        **DecisionType.words,
        **{status.name.lower(): status.label for status in Tournament.Status},
        **{kind.slug: name for kind, name in KIND_NAMES.items()},
    }

    def name_subjects(self, subjects: Collection[int]) -> Mapping[int, tuple[str, str]]:
        """Return the players' names by the FIDE list, or the office's latest one, and their pages."""
        names = dict(FidePlayer.objects.filter(pk__in=subjects).values_list("pk", "name"))
        if others := [one for one in subjects if one not in names]:
            entries = OtbListEntry.objects.filter(fide_id__in=others)
            names |= dict(entries.order_by("otb_list_id").values_list("fide_id", "name"))
        return {one: (names.get(one, str(one)), reverse("otb:player", args=(one,))) for one in subjects}

    def name_value(self, value: str) -> str:
        """Translate the status of a tournament; articles behind it stay."""
        word, article, more = value.partition(" (B.02 ")
        return super().name_value(word) + article + more

    def name_scale(self, scale: str) -> str:
        """Name the chapter, where it isn't standard."""
        _otb, _dash, chapter = scale.partition("-")
        name = gettext("Over the board")
        return f"{name}, {CHAPTER_NAMES[Chapter.of(chapter)]}" if chapter else name

    def rating_text(self, rating: Hundredths | None) -> str:
        """Return whole points: lists over the board have no others. Only changes have decimals."""
        return super().rating_text(None) if rating is None else str(rating // 100)

    def change_text(self, change: Hundredths | None) -> str:
        """Return the change of the published rating in whole points."""
        return NOTHING if change is None else whole(change // 100)


def chapter_field(*, required: bool = True) -> forms.TypedChoiceField:
    """Return a field for the chapter of a list; its value is a `Chapter`."""
    return forms.TypedChoiceField(
        label=_("Rating type"),
        coerce=Chapter.of,
        choices=[(chapter.slug, capfirst(name)) for chapter, name in CHAPTER_NAMES.items()],
        initial=Chapter.STANDARD.slug,
        required=required,
    )


class ReportFaults(ValidationError):
    """All faults of a report's file."""


@contextmanager
def refusals() -> Iterator[None]:
    """Turn refusals of the services into a ValidationError."""
    try:
        yield
    except ReportRefused as refusal:
        raise ReportFaults([*refusal.reasons]) from refusal
    except (FileRefused, NotPossible) as refusal:
        raise ValidationError(str(refusal)) from refusal


def field_label(name: str) -> str:
    """Return the label of a tournament's field."""
    return capital(plain("%s") % Tournament._meta.get_field(name).verbose_name)  # type: ignore[union-attr]


def moves_of(chapter: int, ratings: Iterable[tuple[int, Points | None, Points | None]]) -> list[Move]:
    """Return the ratings that move, given FIDE IDs with whole points before and after."""
    scale = "otb" if chapter == Chapter.STANDARD else f"otb-{Chapter(chapter).slug}"
    return [
        Move(fide_id, scale, _hundredths(was), _hundredths(now))
        for fide_id, was, now in ratings
        if was != now
    ]


def _hundredths(rating: Points | None) -> Hundredths | None:
    return None if rating is None else Hundredths(100 * rating)


def list_fact(otb_list: OtbList, told: str) -> Fact:
    """Return the fact that a list will be published."""
    return Fact("lists", f"over the board {otb_list.key}", told, after=otb_list.checksum)


class Revision(NamedTuple):
    """A revision of a list, and whose ratings it moves: FIDE ID, before and after."""

    otb_list: OtbList
    moved: list[tuple[int, Points | None, Points | None]]

    @property
    def moves(self) -> list[Move]:
        return moves_of(self.otb_list.chapter, self.moved)

    @property
    def fact(self) -> Fact:
        return list_fact(self.otb_list, str(self.otb_list))

    @property
    def told(self) -> Sentence:
        """Say that it was published."""
        text = ngettext(
            "%(list)s is published: %(moved)d rating changed.",
            "%(list)s is published: %(moved)d ratings changed.",
            len(self.moved),
        )
        told = text % {"list": self.otb_list, "moved": len(self.moved)}
        return Sentence(told, ((gettext("List"), self.otb_list.get_absolute_url()),))


def ratings_moved(revision: OtbList) -> list[tuple[int, Points | None, Points | None]]:
    """Return FIDE IDs with their ratings on the previous revision and this one, where they differ."""
    lists = OtbList.objects.in_chapter(revision.chapter).of(revision.list_day)
    before = lists.filter(revision__lt=revision.revision).first()
    rated = OtbListEntry.objects.order_by().exclude(rating=None)
    now, then = rated.filter(otb_list=revision), rated.filter(otb_list=before)
    was = then.filter(fide_id=OuterRef("fide_id"))
    other = now.exclude(Exists(was.filter(rating=OuterRef("rating")))).annotate(
        was=Subquery(was.values("rating"))
    )
    lost = then.exclude(Exists(now.filter(fide_id=OuterRef("fide_id"))))
    found: list[tuple[int, Any, Any]] = [*other.values_list("fide_id", "was", "rating")]
    found += [(fide_id, rating, None) for fide_id, rating in lost.values_list("fide_id", "rating")]
    return sorted(found)


def revisions_of(revised: Iterable[OtbList]) -> tuple[Revision, ...]:
    """Return these lists with the ratings that they move."""
    return tuple(Revision(one, ratings_moved(one)) for one in revised)


def moves_of_revisions(revised: Iterable[Revision]) -> list[Move]:
    """Return the moves on the latest revised list of each chapter."""
    latest = {one.otb_list.chapter: one for one in revised}
    return [move for one in latest.values() for move in one.moves]


def add_revisions(effect: Effect, tournament: Tournament, decision: Decision) -> None:
    """B.02 7.13: rate a tournament for the list that is closed but not yet in force, if it enters it.

    The ratings that move are added to the effect. A rated tournament can't be taken back by undoing.
    """
    for one in revisions_of(enter_open_list(tournament, at=decision.at, by=decision.by)):
        effect.moves += one.moves
        effect.facts.append(one.fact)
        effect.outcome.append(one.told)
        effect.undo = None


def findings_link(tournament: Tournament) -> tuple[tuple[str, str], ...]:
    """Link to the page on which a tournament's findings are judged."""
    return ((gettext("Findings"), reverse("admin:otb_tournament_judge", args=(tournament.pk,))),)


def what_refuses(rated: RatedTournament | None) -> list[Fact]:
    """Return what keeps a tournament from being rated, each a warning."""
    if rated is None:
        return []
    names = rated.names
    return [
        Fact(
            "warnings",
            f"finding {one.finds.value} {one.round or ''} {one.day or ''}",
            finding_sentence(one, names, rated.edition),
            after=f"{one.found} {one.needed} {one.player} {one.opponent}",
        )
        for one in rated.refusals
    ]
