"""Game servers in the admin: registering them, renewing secrets and ending tokens."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.forms import ModelForm, MultipleChoiceField
from django.forms.widgets import CheckboxSelectMultiple
from django.http import HttpRequest
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from foa.web.admin import OfficeAdmin
from ratings.arena.models import GameServer, all_scopes
from ratings.arena.scopes import OF_SERVERS
from ratings.arena.services.registering import new_secret, register_server, revoke_tokens


class GameServerForm(ModelForm[GameServer]):
    """A form with the scopes as checkboxes."""

    scopes = MultipleChoiceField(
        label=_("Scopes"),
        choices=[(scope.value, scope.label) for scope in OF_SERVERS],
        widget=CheckboxSelectMultiple,
        initial=all_scopes,
    )

    class Meta:
        model = GameServer
        fields = ("name", "trusted", "scopes", "is_active")


@admin.register(GameServer)
class GameServerAdmin(OfficeAdmin[GameServer]):
    """The admin of game servers. A server's secret is shown once, when it is created."""

    form = GameServerForm
    list_display = ("name", "trusted", "is_active", "client_id", "added_at")
    list_select_related = ("application",)
    search_fields = ("name",)
    readonly_fields = ("client_id", "added_at")
    actions = ("renew_secrets", "end_tokens")

    @admin.display(description=_("client ID"))
    def client_id(self, server: GameServer) -> str:
        """Return the id with which the server logs in, together with its secret."""
        return server.application.client_id if server.pk else ""

    def get_readonly_fields(self, request: HttpRequest, obj: GameServer | None = None) -> tuple[str, ...]:
        """Make a stored server's name read-only, since it is part of its games' ids."""
        return ("name", *self.readonly_fields) if obj else ()

    def has_delete_permission(self, request: HttpRequest, obj: GameServer | None = None) -> bool:
        """Refuse deletion: a server may have sent games. It can be made inactive."""
        return False

    def save_model(self, request: HttpRequest, obj: GameServer, form: Any, change: bool) -> None:
        """Register a new server and show its secret."""
        if change:
            super().save_model(request, obj, form, change)
            if not obj.is_active:
                revoke_tokens(obj)
            return
        server, credentials = register_server(obj.name, trusted=obj.trusted, scopes=obj.scopes)
        server.is_active = obj.is_active
        server.save()
        vars(obj).update(vars(server))
        self._show_secret(request, server, credentials.client_id, credentials.secret)

    @admin.action(description=_("Issue new secrets"), permissions=["change"])
    def renew_secrets(self, request: HttpRequest, servers: QuerySet[GameServer]) -> None:
        """Give the servers new secrets. The old secrets and tokens end at once."""
        for server in servers.select_related("application"):
            self._show_secret(request, server, *new_secret(server))
            self.log_change(request, server, gettext("New secret."))

    @admin.action(description=_("Revoke all tokens"), permissions=["change"])
    def end_tokens(self, request: HttpRequest, servers: QuerySet[GameServer]) -> None:
        """Revoke all tokens of the servers. They get new ones with their secret."""
        ended = sum(revoke_tokens(server) for server in servers.select_related("application"))
        messages.success(request, ngettext("%d token revoked.", "%d tokens revoked.", ended) % ended)

    def _show_secret(self, request: HttpRequest, server: GameServer, client_id: str, secret: str) -> None:
        told = gettext(
            "%(server)s: client ID %(id)s, secret %(secret)s. Copy the secret now: it won’t be shown again."
        )
        messages.warning(request, told % {"server": server, "id": client_id, "secret": secret})
