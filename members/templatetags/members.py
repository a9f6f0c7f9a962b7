"""Titles, flags and federations on pages."""

from django import template

from members.flags import badge, federation, flag, name_of

register = template.Library()
register.simple_tag(badge)
register.simple_tag(federation)
register.simple_tag(flag)
register.filter("federation_name", name_of)
