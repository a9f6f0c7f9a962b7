"""Template filters that every page shares."""

from django import template

from foa.web import text

__all__ = ["register"]

register = template.Library()
register.filter("points", text.points)
register.filter("signed", text.signed)
register.filter("utc", text.utc)
