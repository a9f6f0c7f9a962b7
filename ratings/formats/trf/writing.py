"""Writing a report: TRF16 and TRF26 in the specification's columns, UTF-8, CRLF, without a BOM.

Reading it back gives the same tournament. The file is the same too, byte for byte, except for variations
found in real files: other line ends, encodings and a BOM; trailing blanks; values aligned differently in
their columns; a rating or an ID of 0; sex and colour in capitals or as F, results in small letters, titles of
one or two letters; opponents with leading zeros, a lone minus for a round without a pairing.
"""

from collections.abc import Iterator

from ratings.formats.problems import readable
from ratings.formats.trf.players import player_line
from ratings.formats.trf.teams import team_line
from ratings.formats.trf.tournament import Record, Tournament


def trf_lines(tournament: Tournament) -> Iterator[bytes]:
    """Yield the lines of the report in their places; new lines follow the order of the sections.

    Raises ValueError for a number that doesn't fit its columns.
    """
    lines = [
        *((record.line, _record_line(record)) for record in tournament.headers),
        *((player.line, player_line(player)) for player in tournament.players),
        *((team.line, team_line(team)) for team in tournament.teams),
        *((record.line, _record_line(record)) for record in tournament.rest),
    ]
    # Stable: new lines, which all have the number 0, keep the order of the sections.
    for _, line in sorted(lines, key=lambda numbered: numbered[0]):
        yield f"{readable(line).rstrip()}\r\n".encode()


def _record_line(record: Record) -> str:
    return f"{record.tag} {record.text}" if record.tag else record.text
