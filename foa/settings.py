"""Settings of the rating office, driven by the environment (or a ``.env`` file in the checkout).

With nothing set, ``manage.py`` works in a checkout: an SQLite file beside it, served to this machine only.
Where the package is installed, the working directory takes the place of the checkout.
``docs/operations.md`` lists every variable; ``foa.checks`` reports mistakes.
"""

import sys
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import django_stubs_ext
from django.core.exceptions import ImproperlyConfigured
from django.core.management.utils import get_random_secret_key

from foa.environment import Environment
from foa.monitoring.logs import logging_settings

# Django's generic classes take their type argument at run time, too.
django_stubs_ext.monkeypatch()

BASE_DIR = Path(__file__).resolve().parent.parent
# Directory for the office's own files, which can't be among installed packages.
HOME_DIR = BASE_DIR if (BASE_DIR / "manage.py").exists() else Path.cwd()

env = Environment()
Environment.read_env(HOME_DIR / ".env")

DEBUG = env.bool("DEBUG", default=False)
# Without one, a key for this process only, so sessions end with it (check foa.W001 in production).
SECRET_KEY = env.str("SECRET_KEY", default="") or get_random_secret_key()
SECRET_KEY_IS_EPHEMERAL = not env.str("SECRET_KEY", default="")
# Earlier keys, whose signatures are still accepted, so that a new key doesn't end logins and links.
SECRET_KEY_FALLBACKS = env.list("SECRET_KEY_FALLBACKS", default=[])
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])

# Contacts for security reports in security.txt: mail addresses or URLs.
SECURITY_CONTACT = env.list("SECURITY_CONTACT", default=[])

# HTTPS=true: the site is served over TLS (by a proxy that sets X-Forwarded-Proto).
HTTPS = env.bool("HTTPS", default=False)
SECURE_SSL_REDIRECT = HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
# Addresses and networks of proxies, and "unix" for those on a unix socket. Only their headers are trusted for
# the client's address and for http or https (foa.proxies).
TRUSTED_PROXIES = env.list("TRUSTED_PROXIES", default=[])
# With __Host- in a cookie's name, browsers refuse it from other hosts of the domain and without TLS. Our
# scripts read no cookies.
_HOST_ONLY = "__Host-" if HTTPS else ""
SESSION_COOKIE_NAME = f"{_HOST_ONLY}sessionid"
CSRF_COOKIE_NAME = f"{_HOST_ONLY}csrftoken"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = HTTPS
CSRF_COOKIE_HTTPONLY = LANGUAGE_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_SAMESITE = "Lax"
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS
SECURE_HSTS_PRELOAD = HTTPS
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "base-uri": ["'none'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
        "object-src": ["'none'"],
    }
}

# Optional apps ("rooms") of the office; the arena's own rule book and FIDE's lists are always installed.
_ROOMS = ("otb", "league", "arena", "desk", "notices", "calculators", "organizers", "lab")
_CHOSEN = env.list("ROOMS", default=list(_ROOMS))
if _UNKNOWN := set(_CHOSEN) - set(_ROOMS):
    raise ImproperlyConfigured(f"ROOMS: unknown {sorted(_UNKNOWN)}; choose from {', '.join(_ROOMS)}.")
if "organizers" in _CHOSEN and not {"otb", "league"} <= set(_CHOSEN):
    raise ImproperlyConfigured("ROOMS: organizers needs otb and league. Add them, or leave organizers out.")
ROOMS = [room for room in _ROOMS if room in _CHOSEN]

INSTALLED_APPS = [
    "foa.apps.FoaConfig",
    # Before the rooms that take their pages out of the admin.
    "django_tasks",
    "django_tasks_db",
    "oauth2_provider",
    "members",
    "ratings.office",
    "ratings.rbb",
    "ratings.fide",
    *(f"ratings.{room}" for room in ROOMS),
    "rest_framework",
    "drf_spectacular",
    "django_tables2",
    "django_filters",
    "django_htmx",
    "simple_history",
    "axes",
    "django_otp",
    "django_otp.plugins.otp_totp",
    "django_otp.plugins.otp_static",
    "django_otp_webauthn",
    "csp",
    "foa.apps.OfficeAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sitemaps",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
]

MIDDLEWARE = [
    # First: finds the client's address and TLS, which the others rely on.
    "foa.proxies.believe_trusted_proxies",
    # Outside everything that goes by the method or answers.
    "foa.middleware.answer_head_like_get",
    # Outside everything that needs a host, TLS or a session: a load balancer has none.
    "foa.monitoring.probes.answer_probes",
    "foa.monitoring.requests.name_and_count",
    "foa.middleware.keep_language_within_request",
    # Outside everything that answers errors with a page.
    *(["ratings.arena.middleware.answer_as_api"] if "arena" in ROOMS else []),
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    # Outside everything that queries the database.
    "foa.web.replica.read_from_replica",
    "foa.middleware.keep_from_others",
    # Outside everything that sets cookies or changes a page.
    "foa.middleware.CompressPublicPages",
    # ETags by content, inside compression, which adds a random length.
    "django.middleware.http.ConditionalGetMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "foa.middleware.refuse_nul_bytes",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django_otp.middleware.OTPMiddleware",
    "foa.account.middleware.AskForSecondFactor",
    "foa.account.middleware.set_cookies_of_login",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "simple_history.middleware.HistoryRequestMiddleware",
    "axes.middleware.AxesMiddleware",
]

AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesBackend",
    "django.contrib.auth.backends.ModelBackend",
    "django_otp_webauthn.backends.WebAuthnBackend",
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "ratings:mine"
LOGOUT_REDIRECT_URL = "ratings:home"
# Five wrong passwords for one login from one address, or 25 from all addresses, block for 15 minutes.
AXES_HANDLER = "foa.account.lockout.Guard"
AXES_FAILURE_LIMIT = 5
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_RESET_ON_SUCCESS = True
AXES_USERNAME_CALLABLE = "foa.account.lockout.attempted_name"
AXES_CLIENT_IP_CALLABLE = "foa.proxies.origin"
AXES_LOCKOUT_TEMPLATE = "registration/locked_out.html"
AXES_VERBOSE = False

# Logging in with the arena by OpenID Connect: its issuer, and what it registered this office as.
ARENA_OIDC_URL = env.matching(
    "ARENA_OIDC_URL",
    "",
    r"(https://\S*|http://(127\.0\.0\.1|localhost)\S*)[^\s/]",
    "an address such as https://arena.example/o, without a slash at its end",
)
OIDC_RP_CLIENT_ID = env.str("ARENA_OIDC_CLIENT", default="")
OIDC_RP_CLIENT_SECRET = env.str("ARENA_OIDC_SECRET", default="")
if ARENA_OIDC_URL and not (OIDC_RP_CLIENT_ID and OIDC_RP_CLIENT_SECRET):
    raise ImproperlyConfigured("ARENA_OIDC_URL needs ARENA_OIDC_CLIENT and ARENA_OIDC_SECRET, too.")
OIDC_RP_SCOPES = "openid profile email"
OIDC_USE_PKCE = True
OIDC_TIMEOUT = 5
OIDC_AUTHENTICATION_CALLBACK_URL = "arena_callback"

# Sessions store their login, so that users can see and end them.
SESSION_ENGINE = "foa.account.sessions"
# True if staff need a second factor for the admin. Users who have one are always asked for it.
STAFF_TWO_FACTOR = env.bool("STAFF_TWO_FACTOR", default=False)
OTP_TOTP_ISSUER = "Rating office"
OTP_WEBAUTHN_RP_NAME = OTP_TOTP_ISSUER
# A passkey is bound to the domain that the browser shows, which is one of ALLOWED_HOSTS.
OTP_WEBAUTHN_HELPER_CLASS = "foa.account.factors.PasskeyHelper"
OTP_WEBAUTHN_RP_ID_CALLABLE = "foa.account.factors.domain"
SILENCED_SYSTEM_CHECKS = ["otp_webauthn.E030"]  # a list of origins: the helper takes that of the request
PASSWORD_RESET_TIMEOUT = 3600

# What the arena is called on pages, in mails and in files.
ARENA_NAME = env.str("ARENA_NAME", default="FIDE Online Arena")

# Address of the site as members type it, for links in mails.
_HOST = next(iter(ALLOWED_HOSTS), "*").lstrip(".")
_SITE = f"{'https' if HTTPS else 'http'}://{_HOST}"
if _HOST in ("localhost", "*"):
    _SITE = f"http://127.0.0.1:{env.number('PORT', default=8000, least=1, most=65535)}"
SITE_URL = env.matching("SITE_URL", _SITE, r"https?://\S+", "an address such as https://ratings.example")

# Mail goes to the console unless EMAIL_URL is set (check foa.W002 in production).
_EMAIL_URL = env.str("EMAIL_URL", default="")
EMAIL_IS_SENT = bool(_EMAIL_URL)
vars().update(env.mail("EMAIL_URL"))
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", default="rating-office@localhost")

ROOT_URLCONF = "foa.urls"
WSGI_APPLICATION = "foa.wsgi.application"
ASGI_APPLICATION = "foa.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.i18n",
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

DATABASES: dict[str, dict[str, Any]] = {
    "default": env.database("DATABASE_URL", default=f"sqlite:///{HOME_DIR / 'foa.sqlite3'}")
}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # IMMEDIATE: two writers queue for the lock instead of failing half way; WAL: readers never wait.
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        # 64 MiB of page cache: a rebuild of a large ledger reads its pages once.
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-65536;",
    }
else:
    DATABASES["default"].setdefault("CONN_HEALTH_CHECKS", True)
# Connecting takes longer than all statements of a page.
DATABASES["default"].setdefault("CONN_MAX_AGE", 600)
# A streaming replica for public reads, and its maximum lag in seconds (docs/scaling.md).
if env.str("DATABASE_REPLICA_URL", default=""):
    DATABASES["replica"] = {
        "CONN_MAX_AGE": 600,
        "CONN_HEALTH_CHECKS": True,
        "TEST": {"MIRROR": "default"},
        **env.database("DATABASE_REPLICA_URL"),
    }
    DATABASES["replica"].setdefault("OPTIONS", {}).setdefault("connect_timeout", 2)
    DATABASE_ROUTERS = ["foa.web.replica.ReplicaRouter"]
DATABASE_REPLICA_LAG = env.number("DATABASE_REPLICA_LAG", default=5.0, kind=float)
# A pool such as PgBouncer gives each transaction another session, so server-side cursors can't be used.
if env.bool("DATABASE_POOLED", default=False):
    for _database in DATABASES.values():
        _database["DISABLE_SERVER_SIDE_CURSORS"] = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# The worker's queue (manage.py run_jobs). Its progress is kept in files beside the database, because a job
# may hold SQLite's only lock from beginning to end. Site and worker run as one user.
TASKS = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend"}}
_BESIDE = (
    Path(DATABASES["default"]["NAME"]).absolute()
    if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3"
    else HOME_DIR / "office"
)
_OWN: dict[str, Any] = {
    "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
    "OPTIONS": {"MAX_ENTRIES": 1000},
}
_OWN_LIMITS = {**_OWN, "LOCATION": "limits", "OPTIONS": {"MAX_ENTRIES": 100_000}}
# With more than one machine: a Redis that all of them can reach (docs/scaling.md).
CACHE_URL = env.matching(
    "CACHE_URL", "", r"(rediss?|unix)://\S+", "a Redis such as redis://cache.internal:6379/0"
)
_SHARED = {
    "BACKEND": "django.core.cache.backends.redis.RedisCache",
    "LOCATION": CACHE_URL,
    "KEY_PREFIX": "foa",
    "OPTIONS": {"socket_connect_timeout": 1, "socket_timeout": 1},
}
CACHES = {
    # Per process: figures over ledgers and lists, all derived from the database.
    "default": _OWN,
    # Per process: pages of visitors for two seconds (foa.web.caching). A page takes two entries.
    "pages": {**_OWN, "LOCATION": "pages", "OPTIONS": {"MAX_ENTRIES": 500}},
    # Fragments of {% cache %}, apart from pages and figures, which take longer to make again.
    "template_fragments": {**_OWN, "LOCATION": "fragments"},
    # Progress of jobs, and the workers that are alive.
    "progress": _SHARED
    if CACHE_URL
    else {
        "BACKEND": "django.core.cache.backends.filebased.FileBasedCache",
        "LOCATION": env.str("PROGRESS_DIR", default=f"{_BESIDE}-progress"),
    },
    # Counts of requests (foa.rate_limits), apart from pages, which would evict them.
    "limits": _SHARED if CACHE_URL else _OWN_LIMITS,
    "own limits": _OWN_LIMITS,
}

# Uploads of staff for a job, kept until the job has ended. Other users' forms take no large files.
UPLOAD_DIR = env.str("UPLOAD_DIR", default=f"{_BESIDE}-uploads")
FILE_UPLOAD_HANDLERS = [
    "foa.uploads.UploadLimit",
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "django.core.files.uploadhandler.TemporaryFileUploadHandler",
]

# Directory for the copies of manage.py backup, preferably on another disk.
BACKUP_DIR = env.str("BACKUP_DIR", default=f"{_BESIDE}-backups")

# Decisions that a second person has to confirm: kinds by name ("all" for every one), minimum number of
# changed ratings, minimum change of one rating in points, and whether all that concern a published list do.
SECOND_PERSON_KINDS = env.list("SECOND_PERSON_KINDS", default=[])
SECOND_PERSON_RATINGS = env.number("SECOND_PERSON_RATINGS", default=None)
SECOND_PERSON_POINTS = env.number("SECOND_PERSON_POINTS", default=None)
SECOND_PERSON_LISTS = env.bool("SECOND_PERSON_LISTS", default=False)

# Days within which a case is decided, and maximum number of open cases of a member.
CASE_DAYS = env.number("CASE_DAYS", default=14)
CASES_PER_MEMBER = env.number("CASES_PER_MEMBER", default=3)

# Pages in a browser hear of changes from the process for streams (docs/scaling.md), and ask only then.
STREAM_PAGES = env.bool("STREAM_PAGES", default=False)
if STREAM_PAGES and "arena" not in ROOMS:
    raise ImproperlyConfigured(
        "STREAM_PAGES: the streams need the room arena. Add it to ROOMS, or set STREAM_PAGES to false."
    )

# Months from one over-the-board list to the next: 2, or 1 after a decision for monthly lists (B.02 7.3).
MONTHS_PER_OTB_LIST = env.number("MONTHS_PER_OTB_LIST", default=2, least=1, most=2)
# From which day tournaments over the board are rated by FIDE’s regulations of 2024, such as 2026-12-01.
# Without it, from the first list that the office has not published under those of 2009.
OTB_REGULATIONS_2024_SINCE = env.get_value(
    "OTB_REGULATIONS_2024_SINCE", cast=date.fromisoformat, default=None
)

# The API of game servers (ratings.arena). Tokens are issued for client credentials only; secrets and tokens
# are stored as hashes.
OAUTH2_PROVIDER_APPLICATION_MODEL = "oauth2_provider.Application"
OAUTH2_PROVIDER = {
    "SCOPES_BACKEND_CLASS": "ratings.arena.scopes.ScopesOfServers",
    "OAUTH2_VALIDATOR_CLASS": "ratings.arena.api.access.TokensOfServers",
    "ACCESS_TOKEN_EXPIRE_SECONDS": 3600,
    "ALLOWED_REDIRECT_URI_SCHEMES": ["https"],
    "REFRESH_TOKEN_REUSE_PROTECTION": True,
    **{
        f"COMPLIANT_BCP_RFC9700_{what}": True
        for what in (
            "ACCESS_TOKEN_TRANSPORT",
            "AUTHZ_RESPONSE_ISS",
            "IMPLICIT_GRANT",
            "PASSWORD_GRANT",
            "PKCE_METHOD",
            "PKCE_REQUIRED",
            "REDIRECT_URI_MATCHING",
            "REDIRECT_URI_SCHEME",
            "REFRESH_TOKEN",
            "TOKEN_STORAGE",
        )
    },
}
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["ratings.arena.api.access.TokenInHeader"],
    "DEFAULT_PERMISSION_CLASSES": ["ratings.arena.api.permissions.HasScope"],
    "DEFAULT_PARSER_CLASSES": ["ratings.arena.api.parsing.BoundedJSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["ratings.arena.api.negotiation.ExactJSONRenderer"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "ratings.arena.api.negotiation.AlwaysJSON",
    "DEFAULT_THROTTLE_CLASSES": ["ratings.arena.api.access.EachClient"],
    "DEFAULT_SCHEMA_CLASS": "ratings.arena.api.schema.ArenaSchema",
    "DEFAULT_METADATA_CLASS": "ratings.arena.api.negotiation.SchemaOnly",
    "EXCEPTION_HANDLER": "ratings.arena.api.handling.problem_response",
    "UNAUTHENTICATED_USER": None,
    "URL_FORMAT_OVERRIDE": None,
    "UNICODE_JSON": True,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Rating office of an online arena",
    "DESCRIPTION": "Game servers send games and members; the API returns ratings and every change.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "POSTPROCESSING_HOOKS": [
        "ratings.arena.api.schema.describe_tokens",
        "ratings.arena.api.schema.close_requests",
        "ratings.arena.api.schema.describe_lines",
        "ratings.arena.api.schema.allow_empty_parameters",
    ],
}
# Maximum requests a minute by a game server, and by an address without a token.
API_REQUESTS_OF_SERVER = env.number("API_REQUESTS_OF_SERVER", default=30_000, least=1)
API_REQUESTS_OF_VISITOR = env.number("API_REQUESTS_OF_VISITOR", default=120, least=1)
# Seconds after which a game ends whose player was gone for 60, if the server reports nothing more (RBB 2.4).
PRESENCE_GRACE = env.number("PRESENCE_GRACE", default=30)
# Allows webhooks to private networks, and by http to this machine, for tests and the demo.
WEBHOOKS_PRIVATE = env.bool("WEBHOOKS_PRIVATE", default=False)
# Allowed ports of webhooks, unless WEBHOOKS_PRIVATE; others are used by mail servers, databases and so on.
WEBHOOKS_PORTS = env.list("WEBHOOKS_PORTS", cast=int, default=[443, 8443])

# Passwords stored with the second hasher are rehashed at the next login.
PASSWORD_HASHERS = [
    "foa.account.passwords.OwaspArgon2",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}", "OPTIONS": options}
    for name, options in (
        ("UserAttributeSimilarityValidator", {}),
        ("MinimumLengthValidator", {"min_length": 12}),
        ("CommonPasswordValidator", {}),
        ("NumericPasswordValidator", {}),
    )
]

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("pl", "Polski")]
# The second has texts of rows that earlier releases stored, and that the code no longer has. The first wins.
LOCALE_PATHS = [BASE_DIR / "foa" / "locale", BASE_DIR / "foa" / "locale" / "earlier"]
FORMAT_MODULE_PATH = "foa.locale"
TIME_ZONE = "UTC"
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT = HOME_DIR / "staticfiles"
# Hashed names need `manage.py collectstatic`; before that, files are served from their source directories.
_COLLECTED = (STATIC_ROOT / "staticfiles.json").exists() or "collectstatic" in sys.argv
WHITENOISE_USE_FINDERS = not _COLLECTED
if not _COLLECTED:
    STATIC_ROOT.mkdir(exist_ok=True)  # WhiteNoise warns of a directory that is not there
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        if _COLLECTED
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}

DATA_UPLOAD_MAX_NUMBER_FIELDS = 2000
DJANGO_TABLES2_TABLE_ATTRS = {"class": "striped"}

LOGGING = logging_settings(as_json=env.bool("LOG_JSON", default=False))
# Address of a dask scheduler whose workers replay what the lab is asked (docs/lab.md).
LAB_SCHEDULER = env.str("LAB_SCHEDULER", default="")
# /metrics answers only to this token (docs/monitoring.md).
METRICS_TOKEN = env.str("METRICS_TOKEN", default="")
# Address at which the worker serves its metrics, such as 127.0.0.1:9101.
WORKER_METRICS = env.matching("WORKER_METRICS", "", r"\S*:[0-9]{1,5}", "an address such as 127.0.0.1:9101")
# Errors are reported there, without personal data.
SENTRY_DSN = env.matching(
    "SENTRY_DSN", "", r"https?://[^@\s]+@\S+/[0-9]+", "an address such as https://key@sentry.example/1"
)
