"""All settings, from the environment. A missing or wrong value stops the start with its name.

`make run` keeps a trial secret in DATA_DIR. With it, the service runs on loopback without any other setting.
"""

import re
from typing import Any
from urllib.parse import urlsplit

from corsheaders.defaults import default_headers
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from studyservice.database.waits import Waits
from studyservice.environment import (
    BASE_DIR,
    CHECKOUT,
    base_url,
    choice,
    contact_url,
    count,
    credential_prefix,
    credential_prefix_fallbacks,
    data_dir,
    databases,
    email,
    file_storage,
    flag,
    metrics_address,
    redis_url,
    seconds,
    secret_key,
    secret_key_fallbacks,
    text,
    web_address,
)
from studyservice.http.requests import API_ROOTS, CALENDAR_ROOT, HEALTH_ROOT, JSON_ROOTS, OAUTH_ROOTS
from studyservice.identity_provider import identity_provider
from studyservice.language_model import language_model
from studyservice.platforms import platforms_from
from studyservice.rates.networks import networks_from

SERVICE_NAME = "Study Data Service"
API_VERSION = "1.0.0"

DATA_DIR = data_dir()
TRIAL_SECRET_FILE = DATA_DIR / "trial-secret-key"
TRIAL = not text("SECRET_KEY") and TRIAL_SECRET_FILE.exists()
HOST = text("HOST", "127.0.0.1")
PORT = count("PORT", default=8000, least=1)
WEB_CONCURRENCY = count("WEB_CONCURRENCY", default=1, least=1, most=1024)
WEB_THREADS = count("WEB_THREADS", default=16, least=1, most=1024)
WEB_MAX_REQUESTS = count("WEB_MAX_REQUESTS", default=0, least=0, most=1_000_000_000)
SECRET_KEY = secret_key(TRIAL_SECRET_FILE if TRIAL else None)
SECRET_KEY_FALLBACKS = secret_key_fallbacks()
BASE_URL = base_url(default=f"http://127.0.0.1:{PORT}" if TRIAL else "", trial=TRIAL)
CREDENTIAL_PREFIX = credential_prefix()
CREDENTIAL_PREFIX_FALLBACKS = credential_prefix_fallbacks()
TRUSTED_PROXIES = count("TRUSTED_PROXIES", default=0, least=0, most=16)
# Networks in which many people share an address, with the factors of its rates.
RATE_NETWORKS = networks_from(text("RATE_NETWORKS"))
REDIS_URL = redis_url()
# Where members renew: shown on pages, in e-mails and in the error for lapsed members.
MEMBERSHIP_URL = web_address("MEMBERSHIP_URL")
# The operators' contact and terms: in the footer of every page and in machine-readable descriptions.
CONTACT_URL = contact_url()
PRIVACY_URL = web_address("PRIVACY_URL")
TERMS_URL = web_address("TERMS_URL")
# Who may join without an operator's command: nobody, people with an invitation, or anybody with an e-mail address.
SIGN_UP = choice("SIGN_UP", default="closed", choices=["closed", "invited", "open"])
# Whether the service fetches school calendars by URL.
SCHOOL_CALENDARS = choice("SCHOOL_CALENDARS", default="on", choices=["on", "off"]) == "on"
# The language model that reads syllabi for members who ask for it; None for none.
SYLLABUS_MODEL = language_model(
    url=text("SYLLABUS_MODEL_URL"),
    name=text("SYLLABUS_MODEL"),
    key=text("SYLLABUS_MODEL_KEY"),
    label=text("SYLLABUS_MODEL_LABEL"),
)
# Length of memberships that begin this way; unset means no end.
SIGN_UP_MEMBERSHIP_DAYS = (
    count("SIGN_UP_MEMBERSHIP_DAYS", default=0, least=0, most=36500) if text("SIGN_UP_MEMBERSHIP_DAYS") else None
)
# The identity provider that members may sign in with; None for none.
IDENTITY_PROVIDER = identity_provider(
    BASE_URL,
    issuer=text("OIDC_ISSUER"),
    client_id=text("OIDC_CLIENT_ID"),
    client_secret=text("OIDC_CLIENT_SECRET"),
    name=text("OIDC_NAME"),
    sign_up=text("OIDC_SIGN_UP"),
    members=text("OIDC_MEMBERS"),
    members_days=text("OIDC_MEMBERS_DAYS"),
)
# Who checks an operator's second factor before /admin: the service, or a proxy in front of it. A trial, which must work
# without setup, asks only operators who have one.
ADMIN_SECOND_FACTOR = choice(
    "ADMIN_SECOND_FACTOR",
    default="optional" if TRIAL else "required",
    choices=["optional", "required", "proxy"] if TRIAL else ["required", "proxy"],
)
METRICS_ADDRESS = metrics_address(service=(HOST, PORT))
DATABASE_WAITS = Waits(
    lock=seconds("DATABASE_LOCK_TIMEOUT", default=5),
    statement=seconds("DATABASE_STATEMENT_TIMEOUT", default=15),
    idle=seconds("DATABASE_IDLE_TIMEOUT", default=30),
)
_command_statement = seconds("COMMAND_STATEMENT_TIMEOUT", default=3600)
_command_lock = seconds("COMMAND_LOCK_TIMEOUT", default=60)
# For `migrate` on PostgreSQL, which retries: calls wait behind it meanwhile. It is less than PostgreSQL's
# deadlock_timeout (1 s), so that in a deadlock with a call `migrate` gives up first.
MIGRATE_LOCK_TIMEOUT_MS = count("MIGRATE_LOCK_TIMEOUT_MS", default=500, least=1, most=60_000)
# Whether members are distributed over servers (studyservice/citus), which needs its own backend and middleware.
DATABASE_DISTRIBUTED = flag("DATABASE_DISTRIBUTED", default=False)
_postgresql = "studyservice.citus.backend" if DATABASE_DISTRIBUTED else "studyservice.database.postgresql"
DATABASES = databases(DATA_DIR, DATABASE_WAITS, _postgresql)
# For management commands: they migrate and purge, and nobody waits for them.
COMMAND_DATABASES = databases(
    DATA_DIR, Waits(lock=_command_lock, statement=_command_statement, idle=_command_statement), _postgresql
)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

_host = urlsplit(BASE_URL).hostname or ""
_secure = BASE_URL.startswith("https://")
ALLOWED_HOSTS = [_host, "localhost", "127.0.0.1", "[::1]"]
CSRF_TRUSTED_ORIGINS = [BASE_URL]
SECURE_SSL_REDIRECT = _secure
# These refuse plain http themselves: with a redirect, a client could keep sending its credential in the clear.
SECURE_REDIRECT_EXEMPT = [rf"^{root[1:]}(/|$)" for root in (HEALTH_ROOT, CALENDAR_ROOT, *API_ROOTS, *OAUTH_ROOTS)]
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if _secure else 0
# Left to the operator, because it also binds other hosts, in browsers for a year or permanently.
SECURE_HSTS_INCLUDE_SUBDOMAINS = flag("HSTS_INCLUDE_SUBDOMAINS", default=False)
SECURE_HSTS_PRELOAD = flag("HSTS_PRELOAD", default=False)
if SECURE_HSTS_PRELOAD and not SECURE_HSTS_INCLUDE_SUBDOMAINS:
    raise ImproperlyConfigured(
        "HSTS_PRELOAD needs HSTS_INCLUDE_SUBDOMAINS: browsers list a domain with all that is below it."
    )
if TRUSTED_PROXIES:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = _secure
# Behind https, use a name that browsers accept only from this host over https (RFC 6265bis 4.1.3.2).
SESSION_COOKIE_NAME = "__Host-sessionid" if _secure else "sessionid"
CSRF_COOKIE_NAME = "__Host-csrftoken" if _secure else "csrftoken"
DEVICE_COOKIE_NAME = "__Host-device" if _secure else "device"
CSRF_COOKIE_HTTPONLY = True
CSRF_FAILURE_VIEW = "studyservice.http.error_pages.csrf_failure"
# For every page; API answers are data and have none. A page that needs more uses `csp_update`.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "manifest-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
    }
}

INSTALLED_APPS = [
    "accounts",
    "courses",
    "planning",
    "grades",
    "oauth2_provider",
    "oauthserver",
    "practice",
    "vocab",
    "mcpbridge",
    "studyservice",
    "studyservice.citus",
    "accounts.apps.OperatorsConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "corsheaders",
    "rest_framework",
    "drf_spectacular",
]

# API requests pass all of them, but those of `pages` do nothing for them.
MIDDLEWARE = [
    "studyservice.http.logs.RequestIdMiddleware",
    "studyservice.http.logs.RequestLogMiddleware",
    *(["studyservice.citus.bulkhead.ServerPlaceMiddleware"] if DATABASE_DISTRIBUTED else []),
    "studyservice.http.middleware.CacheControlMiddleware",
    "studyservice.http.middleware.PagePolicyMiddleware",
    "studyservice.http.middleware.ConnectingPageMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "accounts.api.middleware.CredentialMiddleware",
    "corsheaders.middleware.CorsMiddleware",
    "studyservice.http.middleware.PageSessionMiddleware",
    "studyservice.http.middleware.PageCommonMiddleware",
    "studyservice.http.middleware.PageCsrfMiddleware",
    "studyservice.http.middleware.PageAuthenticationMiddleware",
    "studyservice.http.middleware.PageMessageMiddleware",
    "studyservice.http.middleware.PageFrameMiddleware",
    "accounts.api.middleware.CallMiddleware",
    "accounts.pages.sign_in.HashingBusyMiddleware",
    "studyservice.http.middleware.RefusalMiddleware",
]
if METRICS_ADDRESS:
    _log = MIDDLEWARE.index("studyservice.http.logs.RequestLogMiddleware")
    MIDDLEWARE[_log] = "studyservice.server.metrics.MeasuringRequestLogMiddleware"
# The first two checks look for Django's own middleware and do not recognize the subclasses above. The next two want
# HSTS for subdomains and preloading, which HSTS_INCLUDE_SUBDOMAINS and HSTS_PRELOAD control. W007 wants a setting of
# the toolkit's validator; ours detects reused refresh tokens without it.
SILENCED_SYSTEM_CHECKS = [
    "security.W002",
    "security.W003",
    "security.W005",
    "security.W021",
    "oauth2_provider.W007",
]
APPEND_SLASH = False
ROOT_URLCONF = "studyservice.urls"
WSGI_APPLICATION = "studyservice.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates" if CHECKOUT else BASE_DIR / "studyservice" / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "builtins": ["studyservice.templatetags.site"],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "studyservice.http.middleware.site_links",
            ],
        },
    }
]

AUTH_USER_MODEL = "accounts.Member"
SESSION_ENGINE = "accounts.signing_in.sessions"
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "keys"
MESSAGE_STORAGE = "studyservice.undo.messages.UndoStorage"
PASSWORD_HASHERS = ["studyservice.secrets.hashing.Argon2Hasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
    )
]

CORS_ALLOW_ALL_ORIGINS = True
CORS_URLS_REGEX = rf"^({'|'.join(map(re.escape, JSON_ROOTS))})(/|$)"
CORS_ALLOW_HEADERS = (
    *default_headers,
    "x-api-key",
    "idempotency-key",
    "mcp-protocol-version",
    "mcp-session-id",
    "mcp-method",
    "mcp-name",
    "last-event-id",
    "cache-control",
    "if-none-match",
    "traceparent",
    "tracestate",
)
CORS_EXPOSE_HEADERS = (
    "X-Request-Id",
    "RateLimit-Limit",
    "RateLimit-Remaining",
    "RateLimit-Reset",
    "Retry-After",
    "Idempotency-Replayed",
    "WWW-Authenticate",
    "Mcp-Session-Id",
    "MCP-Protocol-Version",
    "Content-Disposition",
    "Allow",
)

REST_FRAMEWORK = {
    # Bodies are read by studyservice.http.bodies and written by studyservice.operations.codec. These two only set the
    # media type in the description.
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    "DEFAULT_SCHEMA_CLASS": "studyservice.openapi.schema.OperationSchema",
    "UNAUTHENTICATED_USER": None,
}

OAUTH2_PROVIDER_APPLICATION_MODEL = "oauthserver.Application"
OAUTH2_PROVIDER_GRANT_MODEL = "oauthserver.Grant"
OAUTH2_PROVIDER_ACCESS_TOKEN_MODEL = "oauthserver.AccessToken"  # noqa: S105  # a model
OAUTH2_PROVIDER_REFRESH_TOKEN_MODEL = "oauthserver.RefreshToken"  # noqa: S105  # a model
OAUTH2_PROVIDER: dict[str, Any] = {
    "OAUTH2_SERVER_CLASS": "oauthserver.server.Server",
    "OAUTH2_VALIDATOR_CLASS": "oauthserver.server.Validator",
    "CLIENT_ID_GENERATOR_CLASS": "oauthserver.server.ClientIdGenerator",
    "ACCESS_TOKEN_GENERATOR": "oauthserver.server.access_token",
    "REFRESH_TOKEN_GENERATOR": "oauthserver.server.refresh_token",
    "OIDC_ISS_ENDPOINT": BASE_URL,
    "SCOPES": {"read": "Read your study data", "write": "Change your study data"},
    "DEFAULT_SCOPES": ["read"],
    "AUTHORIZATION_CODE_EXPIRE_SECONDS": 10 * 60,
    "ACCESS_TOKEN_EXPIRE_SECONDS": 60 * 60,
    "REFRESH_TOKEN_EXPIRE_SECONDS": 60 * 24 * 60 * 60,
    "ALLOWED_REDIRECT_URI_SCHEMES": ["https"],  # custom schemes of apps: Application.get_allowed_schemes
    "DCR_ENABLED": True,
    "OAUTH2_GRANT_TYPES_SUPPORTED": ["authorization_code", "refresh_token"],
    "OAUTH2_RESPONSE_TYPES_SUPPORTED": ["code"],
    "OAUTH2_TOKEN_ENDPOINT_AUTH_METHODS_SUPPORTED": ["none", "client_secret_basic", "client_secret_post"],
    "OAUTH2_PROTECTED_RESOURCE_NAME": SERVICE_NAME,
    "OAUTH2_PROTECTED_RESOURCE_DOCUMENTATION": f"{BASE_URL}/docs/guides",
    "OAUTH2_PROTECTED_RESOURCE_POLICY_URI": PRIVACY_URL,
    "OAUTH2_PROTECTED_RESOURCE_TOS_URI": TERMS_URL,
    # An app may be identified by the URL of a document that it publishes. It is fetched only from public addresses, by
    # at most two threads at a time, so that slow documents cannot block the server.
    "CIMD_ENABLED": flag("CLIENT_ID_METADATA_DOCUMENTS", default=True),
    "CIMD_REGISTRATION_PERMISSION_CLASSES": ["oauthserver.metadata_documents.WithinRegistrationRate"],
    "CIMD_METADATA_FETCHER": "oauthserver.metadata_documents.Fetcher",
    "CIMD_MAX_CONCURRENT_FETCHES": 2,
    "CIMD_FETCH_TIMEOUT_SECONDS": 5,
    **{
        f"COMPLIANT_BCP_RFC9700_{rule}": True
        for rule in (
            "IMPLICIT_GRANT",
            "PASSWORD_GRANT",
            "PKCE_METHOD",
            "ACCESS_TOKEN_TRANSPORT",
            "AUTHZ_RESPONSE_ISS",
            "TOKEN_STORAGE",
            "REDIRECT_URI_SCHEME",
            "REDIRECT_URI_MATCHING",
            "PKCE_REQUIRED",
        )
    },
}
# Callbacks of well-known platforms. Apps with other callbacks are labeled unverified.
RECOGNIZED_PLATFORMS = platforms_from(text("RECOGNIZED_PLATFORMS"))

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_I18N = False
DATE_FORMAT = "Y-m-d"  # for the admin, as in the API, the log and the filters; members' pages write months out
DATETIME_FORMAT = r"Y-m-d H:i \U\T\C"

STATIC_URL = "/static/"
STATIC_ROOT = BASE_DIR / "studyservice" / "staticfiles"  # from `collectstatic`; included in the installed package
WHITENOISE_MIMETYPES = {".webmanifest": "application/manifest+json"}
MEDIA_ROOT = DATA_DIR / "files"
MEDIA_URL = "/admin/courses/course/"  # only operators can download files, through the admin of courses
STORAGES = {
    "default": file_storage(),
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
# The largest body of an API request. The second limit is for a whole syllabus or 500 cards (`Operation.long_body`).
MAX_BODY_BYTES = 1024 * 1024
MAX_LONG_BODY_BYTES = 8 * 1024 * 1024
# The largest form of a page; large enough for a password of 4,096 characters, each sent as %XX%XX%XX.
MAX_FORM_BYTES = 64 * 1024
# For the admin's forms, which contain whole syllabi and files.
MAX_UPLOAD_BYTES = count("MAX_UPLOAD_BYTES", default=64 * 1024 * 1024, least=MAX_FORM_BYTES, most=1024**3)
DATA_UPLOAD_MAX_MEMORY_SIZE = MAX_LONG_BODY_BYTES
# More parameters than fit in a request line, because any number of unknown ones is ignored.
DATA_UPLOAD_MAX_NUMBER_FIELDS = 10_000

# A trial prints e-mails, including sign-in codes.
vars().update(email(default="consolemail://" if TRIAL else ""))
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = text("DEFAULT_FROM_EMAIL", f"{SERVICE_NAME} <noreply@localhost>")

LOG_FORMAT = choice("LOG_FORMAT", default="text" if TRIAL else "json", choices=["text", "json"])
# The client in request lines: its network, its whole address, or nothing.
LOG_CLIENT_ADDRESS = choice("LOG_CLIENT_ADDRESS", default="network", choices=["network", "full", "none"])
LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {
        "request_id": {"()": "studyservice.http.logs.RequestIdFilter"},
        "secrets": {"()": "studyservice.http.logs.SecretFilter"},
    },
    "formatters": {
        "json": {"()": "studyservice.http.logs.JSONFormatter"},
        "text": {"format": "{asctime} {levelname} {name} {request_id} {message}", "style": "{"},
    },
    "handlers": {
        "console": {
            "class": "studyservice.http.logs.LineHandler",
            "filters": ["request_id", "secrets"],
            "formatter": LOG_FORMAT,
        }
    },
    "root": {"handlers": ["console"], "level": "INFO"},
    "loggers": {
        "django": {"handlers": [], "level": "INFO"},
        # Its debug lines contain codes and tokens.
        "oauthlib": {"level": "INFO"},
        "oauth2_provider": {"level": "INFO"},
        # Logs every URL that a command requests, with its query.
        "httpx2": {"level": "WARNING"},
        # A refused request has its own line in the request log.
        "django.request": {"level": "ERROR"},
        "django.security": {"level": "ERROR"},
    },
}

SPECTACULAR_SETTINGS = {
    "TITLE": SERVICE_NAME,
    "VERSION": API_VERSION,
    "OAS_VERSION": "3.1.0",
    "DESCRIPTION": (
        "A student's own study data: courses, dated items, study plans, grades, practice and flashcards. "
        "Each credential belongs to one member and accesses only that member's data. "
        "Query parameters that the service does not know are ignored. There is no `sort`: sort the results yourself. "
        f"Guides: {BASE_URL}/docs/guides. What changed: {BASE_URL}/changelog."
    ),
    "SCHEMA_PATH_PREFIX": "/v1",
    "SERVERS": [{"url": BASE_URL}],
    "CONTACT": {"url": CONTACT_URL} if CONTACT_URL else {},
    "TOS": TERMS_URL or None,
    "COMPONENT_NO_READ_ONLY_REQUIRED": True,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "POSTPROCESSING_HOOKS": ["studyservice.openapi.schema.finish"],
}
