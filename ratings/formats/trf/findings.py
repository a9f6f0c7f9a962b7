"""What the reader says of a report: why it is refused, and what was taken otherwise than written."""

from dataclasses import dataclass, field

from ratings.formats.problems import Problem


@dataclass(frozen=True, slots=True)
class Adjustment:
    """A place that was understood although it is not as it should be. ``line``: counted from 1."""

    line: int
    text: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.text}"


@dataclass(slots=True)
class Findings:
    """All that is said of one file."""

    problems: list[Problem] = field(default_factory=list)
    adjustments: list[Adjustment] = field(default_factory=list)

    def refuse(self, line: int, reason: str) -> None:
        """Report what makes the file unfit to be rated."""
        self.problems.append(Problem(line, reason))

    def adjust(self, line: int, text: str) -> None:
        """Report what was taken otherwise than it is written, or not used."""
        self.adjustments.append(Adjustment(line, text))
