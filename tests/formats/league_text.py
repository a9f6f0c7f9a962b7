"""Files of a team league for the tests."""

from ratings.formats.league import ROUND_COLUMNS, SQUAD_COLUMNS


def squads_csv(*rows: str) -> bytes:
    """A file of squads."""
    return "\n".join((",".join(SQUAD_COLUMNS), *rows, "")).encode()


def rounds_csv(*rows: str) -> bytes:
    """A file of rounds."""
    return "\n".join((",".join(ROUND_COLUMNS), *rows, "")).encode()
