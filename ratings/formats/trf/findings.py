"""The reader's reports: why a file is refused, and what was read differently from what is written."""

from dataclasses import dataclass, field

from ratings.formats.problems import Problem, Remark


@dataclass(slots=True)
class Findings:
    """Everything reported about one file."""

    problems: list[Problem] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)

    def refuse(self, line: int, reason: str) -> None:
        """Report a fault that makes the file unfit to be rated."""
        self.problems.append(Problem(line, reason))

    def remark(self, line: int, text: str) -> None:
        """Report what was read differently from what is written, or was ignored."""
        self.remarks.append(Remark(line, text))
