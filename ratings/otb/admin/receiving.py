"""Receiving the report of a tournament: first what is in it and what it gives everybody, then the storing.

Between the two the file is kept beside the database (``ratings.office.uploads``), under a name that only
the signed form of the preview knows: what is stored is, byte for byte, what was looked at.
"""

from __future__ import annotations

import hashlib
from datetime import date
from typing import Any, Final, NamedTuple

from django import forms
from django.contrib import messages
from django.contrib.admin.models import ADDITION, CHANGE, LogEntry
from django.core import signing
from django.core.exceptions import BadRequest, PermissionDenied, ValidationError
from django.db import OperationalError, transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foa.web.admin import OfficeAdmin
from ratings.formats.problems import FileRefused
from ratings.formats.trf.reading import MAX_BYTES
from ratings.labels import half_points_text
from ratings.office.jobs import enqueue
from ratings.office.uploads import claim, discard, discard_leftovers, keep, taken
from ratings.otb.admin.findings import SHOWN, finding_rows
from ratings.otb.models import KIND_NAMES, OtbList, Tournament
from ratings.otb.services.crosstable import CrossTableLine, cross_table_line
from ratings.otb.services.judging import NotPossible
from ratings.otb.services.kinds import KNOWN_BY_NAMES
from ratings.otb.services.rating import Participant
from ratings.otb.services.receiving import Preview, ReportRefused, Upload, preview, receive
from ratings.otb.services.revisions import ratings_moved
from ratings.otb.tasks import replace_otb_report
from ratings.rules.b02.parts import Kind

_SALT: Final = "ratings.otb.admin.receiving"

_SECONDS: Final = 3_000
"""For which a preview can be confirmed: less than a file without a job is let alone."""

_LINES: Final = 1_000
"""So many players of a cross-table the preview shows."""


class ReportForm(forms.Form):
    """A report, and what is said beside it."""

    file = forms.FileField(
        label=_("File"), max_length=200, help_text=_("A tournament report (TRF16 or TRF26), at most 8 MB.")
    )
    kind = forms.TypedChoiceField(
        label=_("Kind"), required=False, empty_value=None, coerce=lambda text: Kind(int(text)),
        choices=[
            ("", _("as it is registered, or else as the report says")),
            *((kind.value, name) for kind, name in KIND_NAMES.items()),
        ],
    )  # fmt: skip
    registered_on = forms.DateField(
        label=_("Registered on"), required=False, widget=forms.DateInput({"type": "date"}, "%Y-%m-%d"),
        help_text=_("Empty: the day that is known, of a new tournament today (B.02 0.4)."),
    )  # fmt: skip
    skip_unknown_federations = forms.BooleanField(
        label=_("Leave out unknown federations"), required=False,
        help_text=_("Instead of refusing a report in which a player’s federation is none of FIDE’s."),
    )  # fmt: skip

    def clean_file(self) -> Any:
        """No larger than a report can be; the reader says what else is wrong with it."""
        file = self.cleaned_data["file"]
        if file.size > MAX_BYTES:
            raise ValidationError(_("The file is too large."))
        return file

    def upload(self) -> Upload:
        """What was posted."""
        chosen = self.cleaned_data
        return Upload(
            content=chosen["file"].read(), source=chosen["file"].name, kind=chosen["kind"],
            registered_on=chosen["registered_on"],
            skip_unknown_federations=chosen["skip_unknown_federations"],
        )  # fmt: skip


class EffectRow(NamedTuple):
    """What the report gives a player. ``score`` as it is written: 7½."""

    participant: Participant
    line: CrossTableLine
    score: str


class ReceivingAdmin(OfficeAdmin[Tournament]):
    """The page that receives reports."""

    def has_receive_permission(self, request: HttpRequest) -> bool:
        """Whether this login may receive reports."""
        return request.user.has_perm("otb.receive_tournament")

    def get_urls(self) -> list[URLPattern]:
        """Beside the other pages the one that receives: for a new tournament, and for one that is there."""
        view, name = self.admin_site.admin_view(self.receive_view), "otb_tournament_receive"
        return [
            path("receive/", view, name=name),
            path("<int:pk>/receive/", view, name=name),
            *super().get_urls(),
        ]

    def receive_view(self, request: HttpRequest, pk: int | None = None) -> HttpResponse:
        """Ask for a file; posted, show what it brings; confirmed, store it."""
        if not self.has_receive_permission(request):
            raise PermissionDenied
        tournament = None if pk is None else get_object_or_404(Tournament, pk=pk)
        if "token" in request.POST:
            return self._confirmed(request, tournament)
        posted = request.method == "POST"
        form = ReportForm(request.POST, request.FILES) if posted else ReportForm()
        faults: list[str] = []
        if form.is_valid():
            upload = form.upload()
            try:
                return self._preview(request, tournament, upload)
            except ReportRefused as refusal:
                faults = list(refusal.reasons)
            except (FileRefused, NotPossible) as refusal:
                faults = [str(refusal)]
            except OperationalError:
                # SQLite has one writer, and taking back is writing.
                faults = [gettext("The database is busy with other work. Try again in a while.")]
        return TemplateResponse(request, "admin/otb/tournament/receive.html", {
            **self.admin_site.each_context(request),
            "title": _title(tournament),
            "opts": self.opts,
            "tournament": tournament,
            "form": form,
            "faults": faults[:SHOWN],
            "not_shown": max(0, len(faults) - SHOWN),
        })  # fmt: skip

    def _preview(self, request: HttpRequest, tournament: Tournament | None, upload: Upload) -> HttpResponse:
        """What the report brings, with the form that confirms it. Only the file is kept, for an hour."""
        shown = preview(upload, at=timezone.now(), tournament=tournament)
        target = shown.tournament
        is_rated = target.status == Tournament.Status.RATED
        revised: list[tuple[OtbList, int]] = []
        token = ""
        if shown.is_new:
            if is_rated:
                revised = _revised(upload, target, request.user)
            discard_leftovers()
            asked = {
                "upload": keep([upload.content]), "sha256": upload.sha256, "source": upload.source,
                "kind": upload.kind and upload.kind.value,
                "registered_on": upload.registered_on and upload.registered_on.isoformat(),
                "skip": upload.skip_unknown_federations, "tournament": target.pk, "page": request.path,
                "rated": is_rated, "user": request.user.pk,
            }  # fmt: skip
            token = signing.dumps(asked, salt=_SALT)
        accepted = {}
        if target.pk is not None:
            accepted = {one.finds: one for one in target.accepted.select_related("accepted_by")}
        rows, lines = finding_rows(shown.rated, accepted), _effects(shown)
        return TemplateResponse(request, "admin/otb/tournament/preview.html", {
            **self.admin_site.each_context(request),
            "title": _title(tournament),
            "opts": self.opts,
            "tournament": target,
            "asked": tournament,
            "shown": shown,
            "known_by": KNOWN_BY_NAMES[shown.known_by],
            "rounds": max((len(player.rounds) for player in shown.rated.report.players), default=0),
            "refusing": len(shown.rated.refusals),
            "rows": rows[:SHOWN],
            "not_shown": max(0, len(rows) - SHOWN),
            "remarks": shown.remarks[:SHOWN],
            "more_remarks": max(0, len(shown.remarks) - SHOWN),
            "lines": lines[:_LINES],
            "more_lines": max(0, len(lines) - _LINES),
            "is_rated": is_rated,
            "revised": revised,
            "token": token,
        })  # fmt: skip

    def _confirmed(self, request: HttpRequest, tournament: Tournament | None) -> HttpResponse:
        """Store what was looked at: at once, or where periods are rated again by the worker."""
        again = HttpResponseRedirect(request.path)
        try:
            asked = signing.loads(request.POST["token"], salt=_SALT, max_age=_SECONDS)
        except signing.BadSignature:
            asked = {}
        if (asked.get("user"), asked.get("page")) != (request.user.pk, request.path):
            told = gettext("This preview is too old or not yours. Nothing was stored: choose the file again.")
            self.message_user(request, told, messages.ERROR)
            return again
        target = None
        if asked["tournament"] is not None:
            target = get_object_or_404(Tournament, pk=asked["tournament"])
        if target is not None and (target.status == Tournament.Status.RATED) != asked["rated"]:
            told = gettext("The tournament was rated meanwhile. Nothing was stored: choose the file again.")
            self.message_user(request, told, messages.ERROR)
            return again
        name = claim(asked["upload"])
        if name is None:
            told = gettext("It was confirmed before, or waited for too long. Nothing more was stored.")
            self.message_user(request, told, messages.WARNING)
            return HttpResponseRedirect(self._page_of(request, target))
        if target is not None and asked["rated"]:
            return self._left_to_the_worker(request, target, asked, name)
        with taken(name) as file:
            content = file.read()
        if hashlib.sha256(content).hexdigest() != asked["sha256"]:
            raise BadRequest(gettext("The file is not the one that was looked at. Nothing was stored."))
        upload = Upload(
            content=content, source=asked["source"], kind=asked["kind"] and Kind(asked["kind"]),
            registered_on=asked["registered_on"] and date.fromisoformat(asked["registered_on"]),
            skip_unknown_federations=asked["skip"],
        )  # fmt: skip
        try:
            with transaction.atomic():
                received = receive(upload, at=timezone.now(), by=request.user, tournament=target)
                stored = received.tournament
                told = gettext("The report %(source)s was received.") % {"source": upload.source}
                flag = ADDITION if target is None else CHANGE
                LogEntry.objects.log_actions(request.user.pk, [stored], flag, change_message=told)  # type: ignore[arg-type]
        except (FileRefused, NotPossible) as refusal:
            self.message_user(
                request, gettext("Nothing was stored: %(reason)s") % {"reason": refusal}, messages.ERROR
            )
            return again
        except OperationalError:
            told = gettext("The database is busy with other work: nothing was stored. Choose the file again.")
            self.message_user(request, told, messages.ERROR)
            return again
        self.message_user(request, told, messages.SUCCESS)
        return HttpResponseRedirect(self._page_of(request, stored))

    def _left_to_the_worker(
        self, request: HttpRequest, target: Tournament, asked: dict[str, Any], name: str
    ) -> HttpResponse:
        title = gettext("Replace the report of %(tournament)s: %(source)s")
        words = {"tournament": target, "source": asked["source"]}
        try:
            job = enqueue(
                replace_otb_report, title=(title % words)[:200], by=request.user, upload=name,
                sha256=asked["sha256"], source=asked["source"], tournament=target.pk, kind=asked["kind"],
                registered_on=asked["registered_on"], skip_unknown_federations=asked["skip"],
            )  # fmt: skip
        except BaseException:
            discard(name)
            raise
        return HttpResponseRedirect(reverse("admin:office_job_change", args=(job.pk,)))

    def _page_of(self, request: HttpRequest, tournament: Tournament | None) -> str:
        """Where somebody is led who may receive reports and need not see tournaments."""
        if not self.has_view_permission(request):
            return reverse("admin:index")
        if tournament is None:
            return reverse("admin:otb_tournament_changelist")
        return reverse("admin:otb_tournament_change", args=(tournament.pk,))


def _title(tournament: Tournament | None) -> str:
    if tournament is None:
        return gettext("Receive a tournament report")
    words = {"tournament": tournament}
    if tournament.report_id is None:
        return gettext("Receive the report of %(tournament)s") % words
    return gettext("Replace the report of %(tournament)s") % words


def _revised(upload: Upload, tournament: Tournament, by: Any) -> list[tuple[OtbList, int]]:
    """The lists that get a revision, each with how many ratings it moves: done and taken back."""
    with transaction.atomic():
        received = receive(upload, at=timezone.now(), by=by, tournament=tournament)
        revised = [(one, ratings_moved(one)) for one in received.revised]
        transaction.set_rollback(True)
    return revised


def _effects(shown: Preview) -> list[EffectRow]:
    """Every player's line of the cross-table."""
    return [
        EffectRow(one, cross_table_line(one), half_points_text(one.result.half_points))
        for one in shown.rated.participants
    ]
