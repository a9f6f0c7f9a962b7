"""``demo_logins``: create logins for a demo, as staff and as a member."""

import secrets
from typing import Any

from django.contrib.auth import get_user_model

from foa.command import OfficeCommand
from members.models import Member
from ratings.rbb.demo import GUEST


class Command(OfficeCommand):
    help = f"""Set new passwords for the staff login "office" and the demo member {GUEST}, and print them.

Missing logins are created, the member’s only if the member exists. This is for demos only: in production, use
createsuperuser, and link members to their logins in the admin.
"""

    def handle(self, *args: Any, **options: Any) -> None:
        self.say(f"Staff log in at /admin/ as office with the password {_login('office', staff=True)[1]}")
        if member := Member.objects.filter(username=GUEST).first():
            member.user, password = _login(GUEST, staff=False)
            member.save()
            self.say(f"A member logs in at /login/ as {GUEST} with the password {password}")


def _login(username: str, *, staff: bool) -> tuple[Any, str]:
    password = secrets.token_urlsafe(12)
    user, _ = get_user_model().objects.get_or_create(username=username)
    user.is_active = True
    user.is_staff = user.is_superuser = staff
    user.set_password(password)
    user.save()
    return user, password
