"""What refers to a member is declared once: for a merge, for a copy of their data, and for an erasure."""

from collections import Counter

import pytest
from django.apps import apps
from django.core.exceptions import ValidationError
from django.db import models

from members.models import Member
from ratings.office import relations
from ratings.office.relations import Relation, Text, declarations, relations_to
from ratings.rbb.merging import merge_members
from ratings.rbb.personal import erase_member, export_pieces
from tests.arena import at, member

NOW = at(90 * 24 * 60)


def test_every_relation_to_a_member_is_declared_exactly_once():
    declared = Counter(relation for one in declarations() for relation in one.relations)
    assert declared == Counter(relations_to(Member))


def test_every_column_of_free_text_is_declared_exactly_once():
    texts = [(one.label, column) for one in declarations() if isinstance(one, Text) for column in one.columns]
    assert len(texts) == len(set(texts))
    for label, column in texts:
        field = apps.get_model(label)._meta.get_field(column)
        assert isinstance(field, (models.CharField, models.TextField, models.JSONField)), (label, column)


def test_no_two_declarations_keep_what_a_merge_did_under_one_name():
    names = [one.kept_as for one in declarations() if one.kept_as]
    assert len(names) == len(set(names))


def test_rows_that_are_handed_out_name_their_table_and_no_table_has_two():
    tables = [one.table for one in declarations() if isinstance(one, Relation) and one.columns]
    assert "" not in tables
    assert len(tables) == len(set(tables))


@pytest.mark.needs("league")
def test_a_relation_that_nobody_has_declared_stops_a_merge_an_erasure_and_a_copy(monkeypatch, db):
    who, other = member(), member()
    left = [one for one in declarations() if "league.Player.member" not in one.relations]
    monkeypatch.setattr(relations, "_DECLARED", left)
    for action in (
        lambda: merge_members(member=who, other=other, at=NOW),
        lambda: erase_member(member=who, at=NOW),
        lambda: export_pieces(who, for_staff=True),
    ):
        with pytest.raises(
            ValidationError, match=r"we don’t know what should happen to league\.Player\.member\."
        ):
            action()
