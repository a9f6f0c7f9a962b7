"""The desk in the admin: importing this package registers its pages."""

from ratings.desk.admin import cases, duplicates, names, notes

__all__ = ["cases", "duplicates", "names", "notes"]
