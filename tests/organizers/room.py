"""What the tests of the whole house need to know of organizers."""

from typing import Final

from django.contrib.auth.models import User
from django.utils import timezone

from ratings.organizers.models import Scope, Submission

OFFICERS: Final = {
    Scope: frozenset({"view", "add", "change"}),
    Submission: frozenset({"view", "change"}),
}

PAGES: Final = {
    "everybody": "organizers:accept",
    "servers": """
        arena:reports arena:tournament_reports arena:report arena:withdraw_report
    """,
    # Of a login without a scope, or with another one, they say that there is no such page.
    "logins": """
        organizers:mine organizers:scope organizers:tournament organizers:appeal
        organizers:submission organizers:receipt organizers:file organizers:program
    """,
    "organizers.change_scope": "admin:organizers_scope_end admin:organizers_scope_again",
    "organizers.view_submission": "admin:organizers_submission_file",
    # Matches of a league: who may import them.
    "otb.receive_tournament": "admin:organizers_submission_receive admin:organizers_submission_return",
}


def furnish() -> None:
    """An organizer, and a file that they sent."""
    now, number = timezone.now(), Scope.objects.count()
    user = User.objects.create_user(f"organizer{number}")
    scope = Scope.objects.create(user=user, language="en", federation="NOR", given_at=now, invited_at=now)
    Submission.objects.create(
        scope=scope, federation="NOR", source="open.trf", content=b"012 Open", sha256="f" * 64, sent_at=now
    )
