"""How much may be uploaded, and by whom: a FIDE list is a large file, every other form takes small ones."""

from __future__ import annotations

from typing import Any, Final

from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadhandler import FileUploadHandler

MOST_OF_A_LIST: Final = 1_000_000_000
"""Bytes. The XML list has 856 million, the TXT list 317 million, packed they have some 40 million."""

MOST_OTHERWISE: Final = 10_000_000
"""Bytes of a form of anybody who may not import FIDE lists."""


class UploadLimit(FileUploadHandler):
    """Refuses a form with files that is too large before its first byte is stored.

    Django reads no more of a request than its length says.
    """

    def handle_raw_input(
        self,
        input_data: Any,
        META: Any,  # noqa: N803  so Django calls it
        content_length: int,
        boundary: Any,
        encoding: Any = None,
    ) -> None:
        """Raise RequestDataTooBig, which is answered with 400."""
        user = getattr(self.request, "user", None)
        imports = content_length > MOST_OTHERWISE and user and user.has_perm("fide.import_fidelist")
        if content_length > (MOST_OF_A_LIST if imports else MOST_OTHERWISE):
            raise RequestDataTooBig(f"The form has {content_length:,} bytes.")

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        return raw_data

    def file_complete(self, file_size: int) -> None:
        """The next handler has the file."""
