"""Fuzzers, each in a process of its own, which the campaign starts: of every reader, and of the API.

``python -m tests.soak.fuzz readers SEED`` reads damaged files until it is stopped: the outcome is rows,
problems or a refusal. ``python -m tests.soak.fuzz api SEED DOCUMENT ID SECRET ADDRESS…`` sends to running
sites what the OpenAPI document allows, and what it doesn’t. Both print a line of JSON for each fault, or each
answer that the campaign has to judge, and now and then how far they are.
"""

from __future__ import annotations

import base64
import json
import os
import random
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from io import BytesIO
from itertools import count, cycle
from typing import Any, Final

import hypothesis
import requests
import schemathesis
from hypothesis import HealthCheck, Phase
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode

from ratings.formats.frl import open_frl
from ratings.formats.games import read_games_csv
from ratings.formats.games_json import read_game_json
from ratings.formats.league import read_rounds, read_squads
from ratings.formats.problems import FileRefused
from ratings.formats.trf import read_trf
from tests.formats.frl_text import rows_of
from tests.formats.pgn_text import read_games_pgn
from tests.soak.damaging import SAMPLES, damaged

_TOLD_EVERY: Final = 200
_EXAMPLES: Final = 15
_TOKEN_FOR: Final = 100
"""So many operations are asked with a token."""


def _of_json(stream: BytesIO) -> list[Any]:
    try:
        said = json.loads(stream.read())
    except (ValueError, RecursionError):
        return []
    return [read_game_json(1, said, "x/")] if isinstance(said, dict) else []


_TABLES: Final[tuple[Callable[[BytesIO], Iterable[Any]], ...]] = (read_games_csv, read_squads, read_rounds)
READERS: Final[dict[str, tuple[Callable[[BytesIO], Iterable[Any]], ...]]] = {
    ".csv": _TABLES,
    ".xlsx": _TABLES,
    ".pgn": (read_games_pgn,),
    ".trf": (lambda stream: [read_trf(stream)],),
    ".txt": (lambda stream: rows_of(open_frl(stream)),),
    ".xml": (lambda stream: rows_of(open_frl(stream)),),
    ".json": (_of_json,),
}


def tell(**what: Any) -> None:
    """A line for the campaign."""
    print(json.dumps(what), flush=True)


def readers(seed: str) -> None:
    """Read damaged files, without end."""
    dice = random.Random(seed)
    for number in count(1):
        ending = dice.choice(list(SAMPLES))
        data = damaged(dice.choice(SAMPLES[ending]), dice)
        reader = dice.choice(READERS[ending])
        try:
            list(reader(BytesIO(data)))
        except FileRefused:
            pass
        except Exception:
            tell(fault=traceback.format_exc(), file=base64.b64encode(data).decode(), ending=ending)
        if number % _TOLD_EVERY == 0:
            tell(counts="damaged files read", number=_TOLD_EVERY)


def _log_in(session: requests.Session, addresses: Sequence[str], client_id: str, secret: str) -> None:
    """Get a token from whichever site is up."""
    form = {"grant_type": "client_credentials"}
    for address in cycle(addresses):
        with suppress(requests.RequestException):
            answer = session.post(f"{address}/oauth/token/", form, auth=(client_id, secret), timeout=120)
            if answer.ok:
                session.headers["Authorization"] = f"Bearer {answer.json()['access_token']}"
                return
        time.sleep(1)


@schemathesis.serializer("application/x-ndjson")
def _as_a_line(_context: Any, value: Any) -> bytes:
    """A body of one line."""
    return json.dumps(value, default=str).encode() + b"\n"


def api(seed: str, document: str, client_id: str, secret: str, *addresses: str) -> None:
    """Send arbitrary requests to the sites, without end."""
    dice = random.Random(seed)
    session = requests.Session()
    session.headers["Connection"] = "close"
    schema = schemathesis.openapi.from_path(document)
    operations = [one.ok() for one in schema.get_all_operations()]

    @hypothesis.settings(
        max_examples=_EXAMPLES,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def send(case: Any) -> None:
        number = dice.randrange(len(addresses))
        since = time.monotonic()
        try:
            answer = case.call(base_url=addresses[number], session=session, timeout=120)
        except requests.RequestException:
            tell(what=case.operation.label, since=since, site=number, status=None)
        else:
            if answer.status_code >= 500:
                headers = {name: value[0] for name, value in answer.headers.items()}
                tell(
                    what=case.operation.label,
                    since=since,
                    site=number,
                    status=answer.status_code,
                    waits=any(name.lower() == "retry-after" for name in headers),
                    text=answer.content.decode(errors="replace")[:500],
                    curl=case.as_curl_command()[:2000],
                )

    for number in count():
        if number % _TOKEN_FOR == 0:
            _log_in(session, addresses, client_id, secret)
        operation = dice.choice(operations)
        mode = dice.choice((GenerationMode.POSITIVE, GenerationMode.NEGATIVE))
        # Of some operations, every request is one that the document allows.
        with suppress(Unsatisfiable):
            hypothesis.seed(dice.randrange(2**31))(hypothesis.given(operation.as_strategy(mode))(send))()
        tell(counts="arbitrary requests", number=_EXAMPLES)


if __name__ == "__main__":
    # Everybody else comes first.
    os.nice(10)
    {"readers": readers, "api": api}[sys.argv[1]](*sys.argv[2:])
