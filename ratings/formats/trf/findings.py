"""What the reader says of a report: why it is refused, and what was taken otherwise than written."""

from dataclasses import dataclass, field

from ratings.formats.problems import Problem, Remark


@dataclass(slots=True)
class Findings:
    """All that is said of one file."""

    problems: list[Problem] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)

    def refuse(self, line: int, reason: str) -> None:
        """Report what makes the file unfit to be rated."""
        self.problems.append(Problem(line, reason))

    def remark(self, line: int, text: str) -> None:
        """Report what was taken otherwise than it is written, or not used."""
        self.remarks.append(Remark(line, text))
