"""The office's own work behind the counter."""

from ratings.office.admin.audit import AuditFindingAdmin
from ratings.office.admin.change_sets import ChangeSetAdmin
from ratings.office.admin.jobs import JobAdmin

__all__ = ["AuditFindingAdmin", "ChangeSetAdmin", "JobAdmin"]
