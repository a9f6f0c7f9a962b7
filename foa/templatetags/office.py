"""Template filters and tags that every page shares."""

from django import template
from django.db.models import Model
from django.urls import reverse

from foa.web import text

__all__ = ["register"]

register = template.Library()
register.filter("duration", text.duration)
register.filter("points", text.points)
register.filter("signed", text.signed)
register.filter("utc", text.utc)


@register.simple_tag
def admin_address(what: Model) -> str:
    """The page of an object in the admin."""
    return reverse(f"admin:{what._meta.label_lower.replace('.', '_')}_change", args=(what.pk,))
