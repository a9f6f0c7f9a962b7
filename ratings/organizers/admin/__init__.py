"""Organizers in the admin: importing this package registers its pages."""

from ratings.organizers.admin import scopes, submissions

__all__ = ["scopes", "submissions"]
