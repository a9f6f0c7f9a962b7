"""A small list in each layout of 2001 to 2005, retyped to the byte.

Source: headers, widths, leading blanks, line ends and flags of the lists that FIDE offers for download, as
issue 16 describes them. The players are invented; the files are under the licence of this project.
"""

from collections.abc import Callable, Sequence

FLAGS_OF_2001 = ("n", "e", "t", "f", "wi", "i", "", "wn")
"""As lists until 2003 have them; what n, e, t and f mean is not known."""

PLAYERS = [
    (
        30012340 + number if number % 2 else 499 + number,
        name,
        title,
        "NOR" if number % 3 else "*",
        2235 + number,
        number,
        born,
        sex,
        FLAGS_OF_2001[number],
    )
    for number, (name, title, born, sex) in enumerate(
        [
            ("Berg, Anna Maria", "wg", "17.01.1971", "F"),
            ("Krog", "", "  .  .    ", "M"),
            ("Lund, Boris", "g", "05.11.1948", "M"),
            ("Aas-Solheim, Kristian Fredrik Johan", "m", "31.12.1980", "M"),
            ("'t Hof, Ida", "wf", "01.09.1967", "F"),
            ("Moe (Oslo)", "", "  .  .    ", "M"),
            ("Ruud, Per", "f", "09.03.1955", "M"),
            ("Vik, Eva", "", "24.04.1970", "F"),
        ]
    )
]
"""FIDE ID, name, title, federation, rating, games, birth, sex and flag. Every third federation is *."""

Row = Callable[..., str]


def of_2001(number, name, title, federation, rating, games, born, sex, flag) -> str:
    """75 characters: two blanks, then columns of 10, 33, 6, 8, 6, 6 and 4."""
    return f"  {number:>8}  {name[:32]:33}{title:6}{federation:8}{rating:<6}{games:>3}   {flag:4}"


def of_2002(number, name, title, federation, rating, games, born, sex, flag) -> str:
    """As in 2001, with the date of birth."""
    return f"  {number:>8}  {name[:32]:33}{title:6}{federation:8}{rating:<6}{games:>3}   {born}"


def in_85(*player) -> str:
    """85 characters; the flag follows the date directly."""
    return f"{of_2002(*player)}{player[-1]:4}"


def in_86(*player) -> str:
    """86 characters; a blank between date and flag."""
    return f"{of_2002(*player)} {player[-1]:4}"


def in_90(*player) -> str:
    """90 characters, with the sex."""
    return f"{of_2002(*player)} {player[-2]:4}{player[-1]:4}"


def of_2003(number, name, title, federation, rating, games, born, sex, flag) -> str:
    """79 characters: columns of 10, 34, 4, 5, 5, 6, 12 and 3."""
    return f"{number:>8}  {name[:33]:34}{title:4}{federation:5}{rating:<5}{games:>4}  {born}  {flag:3}"


def listed(header: Sequence[str], row: Row) -> bytes:
    """The file: lines before the rows, the rows, and Ctrl-Z, as DOS ended a file."""
    return "\r\n".join([*header, *(row(*player) for player in PLAYERS), "\x1a"]).encode("latin-1")


NAMES_OF_2001 = "  ID_NUMBER NAME                             TITLE COUNTRY"
NAMES_OF_2003 = "ID_NUMBER NAME                      TITLE COUNTRY"

OLD_LISTS = {
    "2001": (listed([f"{NAMES_OF_2001} JAN01 GAMES FLAG ", "  "], of_2001), "JAN01", 75),
    "January 2002": (listed([f"{NAMES_OF_2001} JAN02 GAMES BIRTHDAY FLAG"], in_85), "JAN02", 85),
    "April 2002": (listed([f"{NAMES_OF_2001} APR02 GAMES BIRTHDAY   FLAG"], in_86), "APR02", 86),
    "July 2002": (listed([f"{NAMES_OF_2001} JUL02 GAMES BIRTHDAY   SEX FLAG"], in_90), "JUL02", 90),
    "January 2003": (listed([f"{NAMES_OF_2003} JAN03 GAMES BIRTHDAY   FLAG"], of_2003), "JAN03", 79),
    "April 2003": (
        listed(["   CODE   NAME                       TITLE COUNTRY  APR03  GAMES   BIRTHDAY FLAG"], of_2003),
        "APR03",
        79,
    ),
    "July 2003": (listed([""], of_2003), "", 79),
    "April 2004": (listed([f"{NAMES_OF_2003} APR04 GAMES BIRTHDAY   FLAG"], of_2003), "APR04", 79),
}
"""The file, the month its header names, and the characters of a row."""
