"""Players' names, titles, flags and federations on pages."""

from django import template

from members.flags import badge, federation, flag, name_of
from members.tables import named, player

register = template.Library()
register.simple_tag(badge)
register.simple_tag(federation)
register.simple_tag(flag)
register.simple_tag(named)
register.simple_tag(player)
register.filter("federation_name", name_of)
