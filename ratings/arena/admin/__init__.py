"""Game servers and webhooks in the admin."""

from django.contrib import admin
from oauth2_provider.models import (
    get_access_token_model,
    get_application_model,
    get_grant_model,
    get_id_token_model,
    get_refresh_token_model,
)

from ratings.arena.admin.servers import GameServerAdmin
from ratings.arena.admin.webhooks import DeliveryAdmin, WebhookAdmin

__all__ = ["DeliveryAdmin", "GameServerAdmin", "WebhookAdmin"]

# A server's related objects are on the server's page.
for _model in (
    get_access_token_model(),
    get_application_model(),
    get_grant_model(),
    get_id_token_model(),
    get_refresh_token_model(),
):
    admin.site.unregister(_model)
