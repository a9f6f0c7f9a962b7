"""Admin pages for the office's own work."""

from ratings.office.admin.about import AboutTextAdmin
from ratings.office.admin.audit import AuditFindingAdmin
from ratings.office.admin.change_sets import ChangeSetAdmin
from ratings.office.admin.imports import FileImportAdmin
from ratings.office.admin.jobs import JobAdmin
from ratings.office.admin.journal import JournalAdmin

__all__ = [
    "AboutTextAdmin",
    "AuditFindingAdmin",
    "ChangeSetAdmin",
    "FileImportAdmin",
    "JobAdmin",
    "JournalAdmin",
]
