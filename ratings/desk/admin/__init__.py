"""Admin pages of the desk. Importing this package registers them."""

from ratings.desk.admin import cases, members

__all__ = ["cases", "members"]
