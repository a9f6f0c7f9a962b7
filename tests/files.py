"""Files that staff bring, for tests of what becomes of them."""

from __future__ import annotations

import csv
import hashlib
import io
from pathlib import Path
from typing import Any

from django.conf import settings
from django.test import Client

from ratings.office.models import FileImport
from ratings.office.uploads import keep
from tests.commands import COLUMNS

LIST = "/admin/office/fileimport/"


def games_csv(*rows: dict[str, Any]) -> bytes:
    """A file of games."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, [*COLUMNS, *(set().union(*rows) - {*COLUMNS})])
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def brought_files() -> list[Path]:
    """The uploads that wait; the files of FIDE lists are kept in a folder beside them."""
    return [file for file in Path(settings.UPLOAD_DIR).glob("*") if file.is_file()]


def kept(content: bytes, source: str, **options: str) -> dict[str, list[str]]:
    """What the form of a kind takes for a file that is kept."""
    asked = {"upload": keep([content]), "sha256": hashlib.sha256(content).hexdigest(), "source": source}
    return {name: [value] for name, value in {**asked, **options}.items()}


def posted(client: Client, kind: str, content: bytes, source: str, **options: str) -> Any:
    """The answer to a file that is brought."""
    file = io.BytesIO(content)
    file.name = source
    return client.post(f"{LIST}bring/{kind}/", {"file": file, **options})


def brought(client: Client, kind: str, content: bytes, source: str, **options: str) -> FileImport:
    """A file that was brought, of which the worker hasn't taken notice yet."""
    answer = posted(client, kind, content, source, **options)
    assert answer.status_code == 302, answer.content.decode()
    return FileImport.objects.get(pk=answer["Location"].rstrip("/").rpartition("/")[0].rpartition("/")[2])


def page_of(one: FileImport) -> str:
    """The address of the page of a file."""
    return f"{LIST}{one.pk}/change/"
