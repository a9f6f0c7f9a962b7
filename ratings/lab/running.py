"""A run from its question to its answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from foa.moments import beginning_of
from ratings.formats.variants import read_variant
from ratings.lab.extra import MISSING, SchedulerFailed, is_installed
from ratings.lab.marks import mark_of_office
from ratings.lab.models import Run

if TYPE_CHECKING:
    from ratings.lab.arrays import Data


def answer(
    run: Run,
    data: Data,
    names: Sequence[str],
    tell: Callable[[int, int], object] = lambda done, total: None,
    scheduler: str = "",
) -> None:
    """Replay the games under each variant, and keep the figures.

    ``names``: of the variants that have none themselves. ``scheduler``: see
    :func:`ratings.lab.comparing.compare`. The figures are stored at the end, all together: a run that is
    stopped leaves nothing. Raises SchedulerFailed.
    """
    if scheduler and not is_installed("distributed"):
        raise SchedulerFailed(str(MISSING))
    # Only here, so that the office doesn't need the packages of the lab.
    from ratings.lab.comparing import compare

    variants = [read_variant(toml, name) for toml, name in zip(run.variants, names, strict=True)]
    run.result = compare(data, variants, None if run.cut is None else beginning_of(run.cut), tell, scheduler)
    run.data_checksum, run.program = data.checksum, data.program
    run.data_read_at = datetime.fromisoformat(data.read_at)
    run.changed_meanwhile = mark_of_office() != data.mark
    run.save()
