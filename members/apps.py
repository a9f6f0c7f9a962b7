"""The members of the arena."""

from django.apps import AppConfig


class MembersConfig(AppConfig):
    """Who plays."""

    name = "members"
