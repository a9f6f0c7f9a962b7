"""The office's own work behind the counter."""

from ratings.office.admin.jobs import JobAdmin

__all__ = ["JobAdmin"]
