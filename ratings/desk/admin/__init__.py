"""Admin pages of the desk. Importing this package registers them."""

from ratings.desk.admin import cases, duplicates, names, notes

__all__ = ["cases", "duplicates", "names", "notes"]
