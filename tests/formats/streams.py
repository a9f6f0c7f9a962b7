"""Streams for the tests of readers."""

import io


class Trickle(io.BytesIO):
    """A stream that gives a few bytes at a time, as a network does."""

    def __init__(self, data: bytes, step: int) -> None:
        super().__init__(data)
        self.step = step

    def read(self, size: int | None = -1) -> bytes:
        return super().read(self.step if size is None or size < 0 else min(size, self.step))
