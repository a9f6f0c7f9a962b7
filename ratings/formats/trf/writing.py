"""Writing a report: TRF16 and TRF26 in columns as the specification has them, UTF-8, CRLF, without a BOM.

Read again, it is the same tournament. It is also the same file, byte for byte, but for what files in the
wild have instead: other line ends, encodings and a BOM; blanks at the end of a line; values that are not
flush with their columns as here; a rating or an ID of 0; sex and colour in capitals or as F, results in
small letters, titles of one or two letters; opponents with leading zeros, a lone minus for a round without
a pairing.
"""

from collections.abc import Iterator

from ratings.formats.problems import readable
from ratings.formats.trf.players import player_line
from ratings.formats.trf.teams import team_line
from ratings.formats.trf.tournament import Record, Tournament


def trf_lines(tournament: Tournament) -> Iterator[bytes]:
    """The lines of the report, where they stood; those that come from no file in the order of the sections.

    Raises ValueError for a number that has no room in its columns.
    """
    lines = [
        *((record.line, _record_line(record)) for record in tournament.headers),
        *((player.line, player_line(player)) for player in tournament.players),
        *((team.line, team_line(team)) for team in tournament.teams),
        *((record.line, _record_line(record)) for record in tournament.rest),
    ]
    # Stable: lines of no file, which are all 0, keep the order of the sections.
    for _, line in sorted(lines, key=lambda numbered: numbered[0]):
        yield f"{readable(line).rstrip()}\r\n".encode()


def _record_line(record: Record) -> str:
    return f"{record.tag} {record.text}" if record.tag else record.text
