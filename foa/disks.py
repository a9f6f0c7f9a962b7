"""Files that can't be used for a reason that the operator can mend, such as a full disk."""

from __future__ import annotations

import errno
from typing import Final

MAKE_ROOM: Final = "Free some space, then try again."
_FULL: Final = (errno.EDQUOT, errno.ENOSPC)
_UNUSABLE: Final = (errno.EACCES, errno.ENOTDIR, errno.EPERM, errno.EROFS)


def is_full(fault: BaseException | None) -> bool:
    """Return whether a file can't be written because its disk is full."""
    return isinstance(fault, OSError) and fault.errno in _FULL


def unusable(fault: BaseException) -> str | None:
    """Say in one line which path can't be used; None for another fault, which may be ours."""
    if not isinstance(fault, OSError):
        return None
    if fault.errno in _FULL:
        return f"{fault.filename or 'A file'} can’t be written: {fault.strerror}. {MAKE_ROOM}"
    if fault.errno in _UNUSABLE and fault.filename:
        return f"{fault.filename} can’t be used: {fault.strerror}."
    return None
