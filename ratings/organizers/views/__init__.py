"""Pages for organizers. They are private, and no cache keeps them."""

from ratings.organizers.views.invitations import AcceptView
from ratings.organizers.views.reports import AppealView, SendingView
from ratings.organizers.views.sent import MineView, SubmissionView, file, receipt

__all__ = ["AcceptView", "AppealView", "MineView", "SendingView", "SubmissionView", "file", "receipt"]
