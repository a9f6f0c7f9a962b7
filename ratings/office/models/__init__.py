"""What the office keeps of its own work."""

from ratings.office.models.jobs import Job

__all__ = ["Job"]
