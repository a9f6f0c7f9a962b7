"""Receivers that tell senders of the office's decisions, in the same transaction."""

from __future__ import annotations

from typing import Any

from django.db.models.signals import post_save
from django.dispatch import receiver
from django.utils import timezone

from ratings.office.models import ChangeSet, FileImport
from ratings.organizers.services.mails import tell_of_refusal
from ratings.organizers.services.submissions import note_import, note_report
from ratings.otb.models import Refusal, TournamentReport


@receiver(post_save, sender=TournamentReport, dispatch_uid="organizers.note_report")
def report_received(instance: TournamentReport, created: bool, raw: bool, **kwargs: Any) -> None:
    """Mark the sent file that the office has received."""
    if created and not raw:
        note_report(instance)


@receiver(post_save, sender=FileImport, dispatch_uid="organizers.note_import")
def import_applied(instance: FileImport, raw: bool, **kwargs: Any) -> None:
    """Mark the file whose matches were applied at once."""
    change_set = instance.change_set
    if not raw and change_set is not None and change_set.state == ChangeSet.State.APPLIED:
        note_import(instance, timezone.now())


@receiver(post_save, sender=ChangeSet, dispatch_uid="organizers.note_change_set")
def change_set_applied(instance: ChangeSet, raw: bool, **kwargs: Any) -> None:
    """Mark the file whose matches the worker or a second person has applied."""
    if raw or instance.state != ChangeSet.State.APPLIED:
        return
    file_import = FileImport.objects.filter(change_set=instance.pk).first()
    if file_import is not None:
        note_import(file_import, timezone.now())


@receiver(post_save, sender=Refusal, dispatch_uid="organizers.tell_of_refusal")
def tournament_refused(instance: Refusal, created: bool, raw: bool, **kwargs: Any) -> None:
    """Tell the people who report the tournament."""
    if created and not raw:
        tell_of_refusal(instance)
