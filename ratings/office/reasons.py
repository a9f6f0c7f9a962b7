"""The public reasons of decisions."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _


class PublicReason(models.TextChoices):
    """The few reasons that members read. None of them says anything about a person."""

    ROUTINE = "routine", _("Routine")
    ENTERED_IN_ERROR = "error", _("Entered in error")
    FAIR_PLAY = "fair-play", _("Fair play")
    RESULT_CORRECTED = "result", _("Result corrected")
    DUPLICATE = "duplicate", _("Duplicate")
    APPEAL = "appeal", _("After an appeal")
    ORGANIZER = "organizer", _("At the request of the organizer")
    OTHER = "other", _("Other")
