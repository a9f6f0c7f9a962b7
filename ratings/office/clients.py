"""Programs that ask the API: their client ids, secrets and tokens (OAuth, client credentials)."""

from __future__ import annotations

from typing import Any, NamedTuple

from django.db import transaction
from oauth2_provider.generators import generate_client_secret
from oauth2_provider.models import get_access_token_model, get_application_model


class Credentials(NamedTuple):
    """The login of a program. The office keeps a hash of the secret, so it can be shown only once."""

    client_id: str
    secret: str


def new_client(**fields: Any) -> tuple[Any, Credentials]:
    """Return a client that isn't stored yet, and its login."""
    secret = generate_client_secret()
    client = get_application_model()(
        client_type="confidential",
        authorization_grant_type="client-credentials",
        client_secret=secret,
        **fields,
    )
    return client, Credentials(client.client_id, secret)


@transaction.atomic
def new_secret(client: Any) -> Credentials:
    """Create another secret. The old one and all tokens end at once."""
    secret = generate_client_secret()
    client.client_secret = secret
    client.save()
    revoke_tokens(client)
    return Credentials(client.client_id, secret)


def revoke_tokens(client: Any) -> int:
    """Revoke all tokens of a client and return their number."""
    deleted: int = get_access_token_model().objects.filter(application=client).delete()[0]
    return deleted
