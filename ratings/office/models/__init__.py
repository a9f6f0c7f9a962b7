"""Models of the office's own work."""

from ratings.office.decision_types import PublicReason
from ratings.office.models.about import AboutText, Demo
from ratings.office.models.audit import AuditedCheck, AuditFinding
from ratings.office.models.change_sets import ChangeSet, FileImport, MovedRating, Rehearsal
from ratings.office.models.jobs import Job
from ratings.office.models.journal import Journal
from ratings.office.models.outbox import Epoch, OutboxEntry
from ratings.office.models.put_off import PutOff

__all__ = [
    "AboutText",
    "AuditFinding",
    "AuditedCheck",
    "ChangeSet",
    "Demo",
    "Epoch",
    "FileImport",
    "Job",
    "Journal",
    "MovedRating",
    "OutboxEntry",
    "PublicReason",
    "PutOff",
    "Rehearsal",
]
