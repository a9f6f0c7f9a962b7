"""Models of the desk."""

from ratings.desk.models.cases import FOR_MEMBERS, Case, CaseEntry, find_subjects
from ratings.desk.models.duplicates import LikelyDuplicate
from ratings.desk.models.notes import MemberNote

__all__ = ["FOR_MEMBERS", "Case", "CaseEntry", "LikelyDuplicate", "MemberNote", "find_subjects"]
