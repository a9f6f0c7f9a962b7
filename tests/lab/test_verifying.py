"""The lab’s lines beside the stored ledger, whatever the office has been through; the file of its inputs."""

import random
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO

import numpy as np
import pytest
from django.db import connection, connections
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from members.former import Merge
from ratings.lab import arrays
from ratings.lab.verifying import Verified, verify
from ratings.rbb.merging import merge_members, unmerge_members
from ratings.rbb.models import Game, OpeningRating, RatingChange
from ratings.rules.time_controls import Category
from tests.arena import at, game, member, opening, rated
from tests.commands import run
from tests.histories import at_most
from tests.rbb.test_merging_always import NOW, arena


class TestAnyHistory(TestCase):
    """Hypothesis rolls each office back."""

    @pytest.mark.long
    @settings(max_examples=at_most(25), deadline=None)
    @given(st.integers(min_value=0, max_value=2**32))
    def test_the_lab_and_the_ledger_agree_after_closures_and_merges_too(self, seed):
        keep, other, *_others = arena(random.Random(seed))
        assert verify().first == ""
        assert verify().lines == RatingChange.objects.count()
        merge_members(member=keep, other=other, at=NOW)
        assert verify().first == ""
        unmerge_members(merge=Merge.objects.get(other=other), at=NOW)
        assert verify().first == ""


@pytest.mark.django_db
class TestTheFirstLineThatDiffers:
    @pytest.fixture
    def two(self):
        anna, boris = member("anna"), member("boris")
        opening(anna, 1600)
        opening(boris, 1500)
        return [game(anna, boris, minute=minute) for minute in (10, 20, 30)]

    def line(self, played):
        return RatingChange.objects.filter(pk=played.ledger_keys[0])

    def test_says_what_it_is_and_what_it_should_be(self, two):
        self.line(two[1]).update(expected=65, k=40)
        key = two[1].ledger_keys[0]
        assert run("lab", "verify") == (
            1,
            "",
            f"4 lines agree. Line {key} (game {two[1].pk}, anna, blitz): expected is 65, should be 66, "
            "k is 40, should be 20.",
        )

    def test_says_points_as_people_write_them(self, two):
        self.line(two[2]).update(after="1621.40")
        assert verify().first.endswith("after is 1621.40, should be 1620.60.")

    def test_may_lack(self, two):
        self.line(two[1]).delete()
        assert verify().lines == 4
        assert "anna, blitz) isn’t in the ledger; it has line" in verify().first

    def test_may_be_one_too_many(self, two):
        with connection.cursor() as cursor:
            cursor.execute("UPDATE ratings_game SET rated = %s WHERE id = %s", [False, two[2].pk])
        key = two[2].ledger_keys[0]
        said = f"Line {key} (game {two[2].pk}, anna, blitz) is in the ledger, but its event doesn’t count."
        assert verify() == Verified(6, said)

    def test_there_is_none(self, two):
        assert run("lab", "verify") == (0, "8 lines compared: the lab and the ledger agree.\n", "")


@pytest.mark.django_db
def test_reading_puts_games_of_one_moment_in_the_order_of_the_ledger():
    one, other = rated(1600), rated(1500)
    opening(one, 1700, Category.BULLET, minute=60)
    games = [game(one, other, minute=minute) for minute in (90, 60, 60, 60)]
    Game.objects.filter(pk=games[2].pk).update(tie_rank=2)
    data = arrays.read()
    assert data.ids.tolist() == [games[n].pk for n in (1, 3, 2, 0)]
    assert data.moment_of(0) == at(60)
    assert data.extra_ids[-1] == OpeningRating.objects.get(category=Category.BULLET).pk
    assert data.extras[-1, 0] == 0


@pytest.mark.django_db(transaction=True)
def test_others_write_while_the_lab_reads_and_it_sees_nothing_of_it():
    game(rated(1600), rated(1500))

    def another_game_ends():
        game(rated(1700), rated(1800), minute=90)
        connections.close_all()

    with arrays.one_moment():
        assert Game.objects.count() == 1
        with ThreadPoolExecutor() as pool:
            pool.submit(another_game_ends).result(timeout=60)
        assert arrays.inputs().games == 1
    assert arrays.read().games == 2
    assert verify() == Verified(8)


@pytest.mark.django_db(transaction=True)
def test_reading_can_be_stopped():
    game(rated(1600), rated(1500))

    def stop(games):
        raise InterruptedError

    with pytest.raises(InterruptedError):
        arrays.read(stop)
    assert arrays.read().games == 1


@pytest.mark.django_db
class TestTheFile:
    def saved(self):
        game(rated(1600), rated(1500))
        data, stream = arrays.read(), BytesIO()
        arrays.save(data, stream)
        return data, stream.getvalue()

    def test_gives_back_what_was_read(self, tmp_path):
        data, stored = self.saved()
        (tmp_path / "inputs").write_bytes(stored)
        loaded = arrays.load(tmp_path / "inputs")
        assert (loaded.checksum, loaded.read_at, loaded.mark) == (data.checksum, data.read_at, data.mark)
        assert all((getattr(loaded, name) == getattr(data, name)).all() for name in arrays.Data.ARRAYS)

    def test_of_another_version_is_refused_with_what_to_do(self, tmp_path, monkeypatch):
        monkeypatch.setattr(arrays, "FORMAT", 3)
        _data, stored = self.saved()
        (tmp_path / "inputs").write_bytes(stored)
        monkeypatch.setattr(arrays, "FORMAT", 2)
        with pytest.raises(
            arrays.DataRefused, match=r"has version 3, of program .*; this program reads version 2\. Make"
        ):
            arrays.load(tmp_path / "inputs")

    def test_that_is_damaged_or_something_else_is_refused(self, tmp_path):
        _data, stored = self.saved()
        path = tmp_path / "inputs"
        for content in (b"", b"GIF89a", stored[: len(stored) // 2]):
            path.write_bytes(content)
            with pytest.raises(arrays.DataRefused, match=r"isn’t a file of the lab"):
                arrays.load(path)
        with pytest.raises(arrays.DataRefused, match=r"No such file"):
            arrays.load(tmp_path / "nothing")

    def test_whose_arrays_were_altered_is_refused(self, tmp_path):
        _data, stored = self.saved()
        with np.load(BytesIO(stored)) as there:
            kept = {name: there[name] for name in there.files}
        kept["points"] = 2 - kept["points"]
        np.savez(tmp_path / "inputs.npz", **kept)
        with pytest.raises(arrays.DataRefused, match=r"its checksum differs"):
            arrays.load(tmp_path / "inputs.npz")

    def test_is_written_by_the_command(self, tmp_path):
        game(rated(1600), rated(1500))
        code, said, _error = run("lab", "read", str(tmp_path / "inputs.npz"))
        data = arrays.load(tmp_path / "inputs.npz")
        assert code == 0
        assert said == f"1 game of 2 members as of {data.read_at}. SHA-256 of the data: {data.checksum}\n"
