"""Webhooks in the admin: their events, each delivery with its attempts, and sending again."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.forms import CheckboxSelectMultiple, ModelForm, MultipleChoiceField
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from foa.web.admin import OfficeAdmin
from ratings.arena.models import Attempt, Delivery, Webhook
from ratings.arena.services.webhooks import begin, change_webhook, send_again
from ratings.office.admin.base import LookAtOnly, ProjectionAdmin
from ratings.office.models import OutboxEntry


class WebhookForm(ModelForm[Webhook]):
    """A form with the events as checkboxes."""

    events = MultipleChoiceField(
        label=_("Events"), choices=OutboxEntry.Event.choices, widget=CheckboxSelectMultiple
    )

    class Meta:
        model = Webhook
        fields = ("server", "url", "events", "is_active")


@admin.register(Webhook)
class WebhookAdmin(OfficeAdmin[Webhook]):
    """The admin of webhooks.

    A webhook's secret is shown once, when it is created. Its server gets a new one through the API.
    """

    form = WebhookForm
    fields = ("server", "url", "events", "is_active")
    readonly_fields = ("stopped_because", "previous_until", "created_at", "deliveries")
    list_display = ("url", "server", "is_active", "stopped_because", "created_at")
    list_filter = ("is_active", "server")
    list_select_related = ("server",)
    search_fields = ("url",)
    actions = ("deactivate",)

    def get_fields(self, request: HttpRequest, obj: Webhook | None = None) -> Any:
        """Return the fields; for a stored webhook also its state and deliveries."""
        return (*self.fields, *self.readonly_fields) if obj else self.fields

    def get_readonly_fields(self, request: HttpRequest, obj: Webhook | None = None) -> Any:
        """Make server and address read-only once stored: only the server may change the address."""
        return ("server", "url", *self.readonly_fields) if obj else ()

    @admin.display(description=_("deliveries"))
    def deliveries(self, webhook: Webhook) -> str:
        """Return a link to the webhook's deliveries."""
        address = reverse("admin:arena_delivery_changelist")
        return format_html(
            '<a href="{}?webhook__id__exact={}">{}</a>', address, webhook.pk, _("All deliveries")
        )

    def has_delete_permission(self, request: HttpRequest, obj: Webhook | None = None) -> bool:
        """Refuse deletion. Staff can make a webhook inactive, and its server can delete it."""
        return False

    def save_model(self, request: HttpRequest, obj: Webhook, form: Any, change: bool) -> None:
        """Store a new webhook and show its secret, or change events and activity."""
        if change:
            stored = Webhook.objects.get(pk=obj.pk)
            change_webhook(stored, events=obj.events, is_active=obj.is_active)
            return
        begin(obj, at=timezone.now())
        told = gettext("%(webhook)s: secret %(secret)s. Copy the secret now: it won’t be shown again.")
        messages.warning(request, told % {"webhook": obj, "secret": obj.secret})

    @admin.action(description=_("Stop sending"), permissions=["change"])
    def deactivate(self, request: HttpRequest, webhooks: QuerySet[Webhook]) -> None:
        """Stop the webhooks. No deliveries are noted for them until they are active again."""
        stopped = 0
        for webhook in webhooks.filter(is_active=True):
            change_webhook(webhook, is_active=False)
            self.log_change(request, webhook, gettext("Stopped."))
            stopped += 1
        messages.success(request, ngettext("%d webhook stopped.", "%d webhooks stopped.", stopped) % stopped)


class AttemptInline(LookAtOnly, admin.TabularInline[Attempt, Webhook]):
    """The attempts of a delivery, in order."""

    model = Attempt
    fields = readonly_fields = ("at", "status", "error", "milliseconds", "answer")
    extra = 0


@admin.register(Delivery)
class DeliveryAdmin(ProjectionAdmin[Delivery]):
    """The admin of deliveries: a message for a webhook, with each attempt to send it."""

    list_display = ("message_id", "event", "webhook", "state", "attempts", "next_attempt_at", "last_error")
    list_filter = ("state", "webhook")
    list_select_related = ("webhook",)
    sortable_by = ()
    search_fields = ("=message_id",)
    search_help_text = _("Message ID")
    fields = (
        "webhook",
        "message_id",
        "event",
        "body",
        "state",
        "attempts",
        "next_attempt_at",
        "last_error",
        "created_at",
    )
    inlines = (AttemptInline,)
    actions = ("send_again",)

    def has_send_permission(self, request: HttpRequest) -> bool:
        """Return whether the user may have messages sent again."""
        return bool(request.user.has_perm("arena.send_delivery"))

    @admin.action(description=_("Send again"), permissions=["send"])
    def send_again(self, request: HttpRequest, deliveries: QuerySet[Delivery]) -> None:
        """Send again the messages that were given up, with the same message ids."""
        again = send_again(deliveries, at=timezone.now())
        told = ngettext("%d message will be sent again.", "%d messages will be sent again.", again)
        messages.success(request, told % again)
