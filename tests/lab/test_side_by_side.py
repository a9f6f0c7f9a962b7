"""The benchmark of docs/lab.md gives what elote publishes, and the document has the figures that it gives."""

from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from elote.datasets import synthetic

from tests.benchmarks.side_by_side import (
    GAMES,
    PLAYERS,
    SYSTEMS_BESIDE,
    figures_of,
    games_of_elote,
    line,
)

pytestmark = [pytest.mark.pure]

DOCUMENT = (Path(__file__).resolve().parents[2] / "docs" / "lab.md").read_text()
BY_NAME = {system.name: system for system in SYSTEMS_BESIDE}


def test_elo_and_glicko_give_the_figures_that_elote_publishes():
    assert figures_of(BY_NAME["Elo (elote)"]) == ("0.8778", "0.0900", "0.3310")
    assert figures_of(BY_NAME["Glicko-1 (elote)"]) == ("0.9167", "0.0567", "0.2036")


@pytest.mark.parametrize("hour", [4, 23])
def test_the_figures_do_not_depend_on_the_hour(monkeypatch, hour):
    """elote's games end now; ours begin with the first."""
    at = datetime(2026, 1, 5, hour, 50)
    clock = SimpleNamespace(datetime=SimpleNamespace(now=lambda: at), timedelta=timedelta)
    monkeypatch.setattr(synthetic, "datetime", clock)
    there = games_of_elote.__wrapped__(PLAYERS, GAMES)
    assert there.moment[0] == 0
    assert (there.moment == games_of_elote(PLAYERS, GAMES).moment).all()


@pytest.mark.parametrize("name", BY_NAME)
def test_the_document_has_each_system_with_its_figures_and_limits(name):
    system = BY_NAME[name]
    (of_document,) = [one for one in DOCUMENT.splitlines() if one.startswith(f"| {name} |")]
    assert of_document.startswith(line(system, figures_of(system)))
    assert of_document.endswith(f"| {system.cannot} |")
