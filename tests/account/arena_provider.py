"""An arena that people log in to: django-oauth-toolkit as a provider of OpenID Connect, in its own process.

``python -m tests.account.arena_provider PORT``. ``/enter/NAME/`` logs a browser in as that user,
``/rename/OLD/NEW/`` gives a user another name. The office is registered as OFFICE with SECRET.
"""

from __future__ import annotations

import sys
from typing import Any

from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

OFFICE = "office"
SECRET = "a secret of the office"
BACK = "http://testserver/login/arena/back/"


def private_key() -> str:
    """A new key, as PEM."""
    key = generate_private_key(public_exponent=65537, key_size=2048)
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


def main(port: int) -> None:
    import django
    from django.conf import settings

    settings.configure(
        SECRET_KEY="of the arena",
        ALLOWED_HOSTS=["127.0.0.1"],
        # Cookies don’t tell ports apart, and the office’s site may have the same host.
        SESSION_COOKIE_NAME="arena",
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
        INSTALLED_APPS=[
            "django.contrib.auth",
            "django.contrib.contenttypes",
            "django.contrib.sessions",
            "oauth2_provider",
        ],
        MIDDLEWARE=[
            "django.contrib.sessions.middleware.SessionMiddleware",
            "django.contrib.auth.middleware.AuthenticationMiddleware",
        ],
        ROOT_URLCONF="tests.account.arena_provider_urls",
        USE_TZ=True,
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        OAUTH2_PROVIDER={
            "OIDC_ENABLED": True,
            "OIDC_RSA_PRIVATE_KEY": private_key(),
            "OAUTH2_VALIDATOR_CLASS": "tests.account.arena_provider_urls.Validator",
            "PKCE_REQUIRED": True,
            "SCOPES": {"openid": "", "profile": "", "email": ""},
        },
    )
    django.setup()

    from wsgiref.simple_server import make_server

    from django.contrib.auth.models import User
    from django.core.management import call_command
    from django.core.wsgi import get_wsgi_application
    from oauth2_provider.models import Application

    call_command("migrate", verbosity=0)
    for name in ("anna", "bert", "office-anna"):
        User.objects.create_user(name, f"{name}@arena.example", "of the arena")
    application: Any = Application(
        client_id=OFFICE,
        client_secret=SECRET,
        client_type="confidential",
        authorization_grant_type="authorization-code",
        redirect_uris=BACK,
        algorithm="RS256",
        skip_authorization=True,
    )
    application.save()
    make_server("127.0.0.1", port, get_wsgi_application()).serve_forever()


if __name__ == "__main__":
    main(int(sys.argv[1]))
