"""``staff_login``: a way into the admin of a demo."""

import secrets
from typing import Any

from django.contrib.auth import get_user_model

from foa.command import OfficeCommand

__all__ = ["Command"]


class Command(OfficeCommand):
    """A staff login with a fresh password."""

    help = """Give the staff login "office" a freshly generated password and print both.

The login is made if it is not there. For demos: in production use createsuperuser.
"""

    def handle(self, *args: Any, **options: Any) -> None:
        """Make or renew the login."""
        password = secrets.token_urlsafe(12)
        user, _ = get_user_model().objects.get_or_create(username="office")
        user.is_active = user.is_staff = user.is_superuser = True
        user.set_password(password)
        user.save()
        self.say(f"Staff log in at /admin/ as office with the password {password}")
