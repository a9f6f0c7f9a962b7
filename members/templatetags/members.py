"""Titles, flags and federations on pages."""

from django import template

from members.flags import federation, flag, name_of
from members.titles import badge

register = template.Library()
register.simple_tag(badge)
register.simple_tag(federation)
register.simple_tag(flag)
register.filter("federation_name", name_of)
