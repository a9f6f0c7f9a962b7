"""Files that people upload, and their limits: FIDE lists are large files, all other forms take small ones."""

from __future__ import annotations

from typing import Any, Final

from django import forms
from django.core.exceptions import RequestDataTooBig, ValidationError
from django.core.files.uploadhandler import FileUploadHandler
from django.utils.translation import gettext_lazy as _

MOST_OF_A_LIST: Final = 1_000_000_000
"""Maximum bytes for users who may import FIDE lists.

The XML list has 856 million, the TXT list 317 million, packed about 40 million.
"""

MOST_OTHERWISE: Final = 10_000_000
"""Maximum bytes of a form for all other users."""


class UploadField(forms.FileField):
    """A file of at most ``most`` bytes, which is less than what its whole form may have."""

    default_error_messages = {"too_large": _("The file is too large.")}

    def __init__(self, *, most: int, **options: Any) -> None:
        super().__init__(label=_("File"), max_length=200, **options)
        self.most = most

    def to_python(self, data: Any) -> Any:
        """Raise ValidationError for a file that is too large."""
        file = super().to_python(data)
        if file is not None and file.size > self.most:
            raise ValidationError(self.error_messages["too_large"], code="too_large")
        return file


class UploadLimit(FileUploadHandler):
    """Upload handler that refuses a form with files that is too large before storing its first byte.

    Django never reads more of a request than its Content-Length.
    """

    def handle_raw_input(
        self,
        input_data: Any,
        META: Any,  # noqa: N803  so Django calls it
        content_length: int,
        boundary: Any,
        encoding: Any = None,
    ) -> None:
        """Raise RequestDataTooBig (status 400) if the form is too large."""
        user = getattr(self.request, "user", None)
        imports = content_length > MOST_OTHERWISE and user and user.has_perm("fide.import_fidelist")
        if content_length > (MOST_OF_A_LIST if imports else MOST_OTHERWISE):
            raise RequestDataTooBig(f"The form has {content_length:,} bytes.")

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        return raw_data

    def file_complete(self, file_size: int) -> None:
        """Leave the file to the next handler."""
