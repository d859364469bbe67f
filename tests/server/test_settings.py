"""Settings: an invalid value stops the start and names its variable in one line (decisions, section 2)."""

import json
import os
import re
import runpy
import secrets
import subprocess
import sys
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest
from django.core.checks import run_checks
from django.core.exceptions import ImproperlyConfigured
from django.core.management import get_commands, load_command_class
from django.core.management.base import OutputWrapper
from django.http import HttpResponse
from django.middleware.security import SecurityMiddleware
from django.test import Client, RequestFactory, override_settings
from environ.fileaware_mapping import FileAwareMapping

from studyservice import environment
from studyservice.http.requests import is_api_path
from studyservice.server.checks import ENVIRONMENT
from tests import ROOT
from tests.support.cases import each
from tests.support.forked import ended
from tests.support.oauth import error_of
from tests.support.world import check_headers

pytestmark = pytest.mark.database("sqlite", "the environment")

SECRET = secrets.token_urlsafe(64)
PRODUCTION = {
    "SECRET_KEY": SECRET,
    "BASE_URL": "https://study.example.org",
    "DATABASE_URL": "postgres://study:study@db.example.org:5432/study",
    "REDIS_URL": "redis://redis.example.org:6379/0",
    "EMAIL_URL": "smtp+tls://mail:secret@smtp.example.org:587",
    "TRUSTED_PROXIES": "1",
    "WEB_CONCURRENCY": "4",
}

WAITS = "-c lock_timeout=5s -c statement_timeout=15s -c idle_in_transaction_session_timeout=30s"
TRANSPORT = {
    "connect_timeout": 5,
    "tcp_user_timeout": 10_000,
    "keepalives_idle": 30,
    "keepalives_interval": 5,
    "keepalives_count": 3,
}
NO_DATABASE = (
    "DATABASE_URL is not a database URL: use postgres://user:password@host:5432/name or sqlite:////path/to/file."
)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory):
    """Runs a program of the virtual environment with only the given settings."""
    data = tmp_path_factory.mktemp("settings")

    def run_program(*program: str, **variables: str) -> subprocess.CompletedProcess[str]:
        environment = {"PATH": os.environ["PATH"], "DATA_DIR": str(data)} | variables
        return subprocess.run(  # our own programs
            [sys.executable, *program],
            check=False,
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
        )

    return run_program


Load = Callable[..., SimpleNamespace]


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Load:
    """Read the settings of only these variables in this process, since a start takes 2 s."""

    def load_settings(**variables: str) -> SimpleNamespace:
        monkeypatch.setattr(environment.env, "ENVIRON", FileAwareMapping())  # which knows no file yet
        with mock.patch.dict(os.environ, {"DATA_DIR": str(tmp_path)} | variables, clear=True):
            return SimpleNamespace(**runpy.run_path(str(ROOT / "studyservice" / "settings.py")))

    return load_settings


def test_production_passes_the_deployment_checks(tmp_path: Path) -> None:
    environment = PRODUCTION | {"DATA_DIR": str(tmp_path)}
    answer = ended(tmp_path, "manage", "check", "--deploy", "--fail-level", "WARNING", environment=environment)
    found = (answer.returncode, answer.stdout, answer.stderr)
    assert found == (0, "System check identified no issues (5 silenced).\n", "")


@each(
    ("changes", "message"),
    [
        ({"SECRET_KEY": ""}, "SECRET_KEY is not set. Set it to 50 or more random characters."),
        ({"SECRET_KEY": "a" * 60}, "SECRET_KEY is weak. Set it to 50 or more random characters."),
        ({"BASE_URL": ""}, "BASE_URL is not set. Set it to the public origin, such as https://example.org."),
        ({"BASE_URL": "http://example.org"}, "BASE_URL must be https, except on loopback: http://example.org"),
        ({"BASE_URL": "https://a.org/b"}, "BASE_URL must be an origin without a path: https://a.org/b"),
        ({"BASE_URL": "https://a:b"}, "BASE_URL is not an origin such as https://example.org: https://a:b"),
        (
            {"DATABASE_URL": "mysql://study:hunter2@db/study"},
            NO_DATABASE,
        ),
        (
            {"DATABASE_URL": "postgres://study:hunter2@db:port/study"},
            NO_DATABASE,
        ),
        ({"REDIS_URL": "localhost:6379"}, "REDIS_URL is not a Redis URL such as redis://host:6379/0."),
        (
            {"EMAIL_URL": ""},
            "EMAIL_URL is not set. Set it to smtp+tls://user:password@host:587, or consolemail:// to print messages.",
        ),
        (
            {"SECRET_KEY_FALLBACKS": f"{SECRET} short"},
            "SECRET_KEY_FALLBACKS has a weak key: each has 50 or more random characters.",
        ),
        ({"EMAIL_URL": "mail.org"}, "EMAIL_URL is not an e-mail URL such as smtp+tls://user:password@host:587."),
        (
            {"MEMBERSHIP_URL": "example.org/renew"},
            "MEMBERSHIP_URL must be an address such as https://example.org/page, not 'example.org/renew'.",
        ),
        (
            {"MEMBERSHIP_URL": "javascript:alert(1)"},
            "MEMBERSHIP_URL must be an address such as https://example.org/page, not 'javascript:alert(1)'.",
        ),
        (
            {"CONTACT_URL": "mailto:nobody"},
            "CONTACT_URL must be such as mailto:help@example.org, not 'mailto:nobody'.",
        ),
        (
            {"CONTACT_URL": "help@example.org"},
            "CONTACT_URL must be an address such as https://example.org/page, not 'help@example.org'.",
        ),
        (
            {"ADMIN_SECOND_FACTOR": "optional"},
            "ADMIN_SECOND_FACTOR must be required or proxy, not 'optional'.",
        ),
        ({"SIGN_UP": "yes"}, "SIGN_UP must be closed, invited or open, not 'yes'."),
        (
            {"SIGN_UP_MEMBERSHIP_DAYS": "-1"},
            "SIGN_UP_MEMBERSHIP_DAYS must be a whole number from 0 to 36500, not '-1'.",
        ),
        ({"PORT": "http"}, "PORT must be a whole number from 1 to 65535, not 'http'."),
        (
            {"WEB_MAX_REQUESTS": "10000000000"},
            "WEB_MAX_REQUESTS must be a whole number from 0 to 1000000000, not '10000000000'.",
        ),
        ({"WEB_THREADS": "0"}, "WEB_THREADS must be a whole number from 1 to 1024, not '0'."),
        (
            {"DATABASE_STATEMENT_TIMEOUT": "15s"},
            "DATABASE_STATEMENT_TIMEOUT must be a whole number from 1 to 86400, not '15s'.",
        ),
        ({"DATABASE_LOCK_TIMEOUT": "0"}, "DATABASE_LOCK_TIMEOUT must be a whole number from 1 to 86400, not '0'."),
        (
            {"DATABASE_CONNECT_TIMEOUT": "1"},
            "DATABASE_CONNECT_TIMEOUT must be a whole number from 2 to 86400, not '1'.",
        ),
        (
            {"RATE_NETWORKS": "10.20.0.1/16=40"},
            "RATE_NETWORKS must be like 10.20.0.0/16=40,2001:db8::/32=40: 10.20.0.1/16 has host bits set.",
        ),
        (
            {"RATE_NETWORKS": "campus=40"},
            (
                "RATE_NETWORKS must be like 10.20.0.0/16=40,2001:db8::/32=40: "
                "'campus' does not appear to be an IPv4 or IPv6 network."
            ),
        ),
        ({"RATE_NETWORKS": "10.20.0.0/16=2,10.20.0.0/255.255.0.0=3"}, "RATE_NETWORKS has 10.20.0.0/16 twice."),
        *(
            (
                {"RATE_NETWORKS": f"10.20.0.0/16{factor}"},
                (
                    "RATE_NETWORKS: the factor of 10.20.0.0/16 must be a whole number from 1 to 1000, "
                    f"not {factor.removeprefix('=')!r}."
                ),
            )
            for factor in ("", "=", "=0", "=1001", "=1.5", "=-2", "=\u0664\u0660", "=4=0")
        ),
        (
            {"RATE_NETWORKS": "2001:db8::/96=40"},
            "RATE_NETWORKS: 2001:db8::/96 is too narrow. IPv6 addresses are counted by their /64.",
        ),
        ({"TRUSTED_PROXIES": "-1"}, "TRUSTED_PROXIES must be a whole number from 0 to 16, not '-1'."),
        ({"CREDENTIAL_PREFIX": "S_"}, "CREDENTIAL_PREFIX must be 1 to 12 lower-case letters and digits."),
        (
            {"CREDENTIAL_PREFIX_FALLBACKS": "svc S_"},
            "CREDENTIAL_PREFIX_FALLBACKS: each has 1 to 12 lower-case letters and digits.",
        ),
        (
            {"METRICS_ADDRESS": "9100"},
            "METRICS_ADDRESS must be host:port, such as 127.0.0.1:9100, not '9100'.",
        ),
        (
            {"RECOGNIZED_PLATFORMS": "claude.ai,chatgpt.com"},
            "RECOGNIZED_PLATFORMS has entries such as Name=https://host/callback, not 'claude.ai'.",
        ),
        (
            {"RECOGNIZED_PLATFORMS": "Board=https://b.example:x/cb"},
            "RECOGNIZED_PLATFORMS has entries such as Name=https://host/callback, not 'Board'.",
        ),
        ({"LOG_FORMAT": "xml"}, "LOG_FORMAT must be text or json, not 'xml'."),
        ({"LOG_CLIENT_ADDRESS": "yes"}, "LOG_CLIENT_ADDRESS must be network, full or none, not 'yes'."),
        (
            {"HSTS_PRELOAD": "true"},
            "HSTS_PRELOAD needs HSTS_INCLUDE_SUBDOMAINS: browsers list a domain with all that is below it.",
        ),
    ],
)
def test_an_invalid_value_is_named_in_one_line(load: Load, changes, message):
    with pytest.raises(ImproperlyConfigured) as refused:
        load(**(PRODUCTION | changes))
    assert str(refused.value) == message


def test_a_command_refuses_with_that_line(run):
    answer = run("manage.py", "check", **(PRODUCTION | {"PORT": "http"}))
    refused = "Not started: PORT must be a whole number from 1 to 65535, not 'http'.\n"
    assert (answer.returncode, answer.stdout, answer.stderr) == (1, "", refused)


def test_the_server_refuses_in_the_same_way(run):
    gunicorn = ("-m", "gunicorn", "-c", "studyservice/gunicorn.py", "studyservice.wsgi")
    answer = run(*gunicorn, **(PRODUCTION | {"SECRET_KEY": "short"}))
    assert answer.returncode == 1
    assert answer.stderr == "Not started: SECRET_KEY is weak. Set it to 50 or more random characters.\n"


def test_several_processes_require_redis(run):
    gunicorn = ("-m", "gunicorn", "-c", "studyservice/gunicorn.py", "studyservice.wsgi")
    answer = run(*gunicorn, **(PRODUCTION | {"REDIS_URL": "", "WEB_CONCURRENCY": "2"}))
    assert answer.returncode == 1
    assert answer.stderr.startswith("Not started: WEB_CONCURRENCY is 2 but REDIS_URL is not set.")


def test_garbage_collection_runs_after_the_service_is_loaded(run):
    """The loaded objects are exempt from it."""
    program = (
        "import gc; from studyservice import gunicorn; gunicorn.post_fork(None, None); before = gc.isenabled(); "
        "gunicorn.post_worker_init(None); print(before, gc.isenabled(), gc.get_freeze_count() > 10_000)"
    )
    answer = run("-c", program, **PRODUCTION)
    assert answer.stdout == "False True True\n", answer.stderr


LONELY = PRODUCTION | {"TRUSTED_PROXIES": "0"}
"""Settings without the proxy that https requires."""


@pytest.fixture(scope="module")
def loaded_by_the_server(run) -> "subprocess.CompletedProcess[str]":
    """Load the service as the server does, and report whether that imported the libraries of Redis and passkeys."""
    done: subprocess.CompletedProcess[str]
    done = run("-c", "import sys, studyservice.wsgi; print(*({'redis', 'webauthn'} & sys.modules.keys()))", **LONELY)
    return done


def test_the_server_loads_the_redis_client_before_it_has_threads(loaded_by_the_server):
    """Lazy imports by several threads made first calls fail with 500. Rarely used libraries stay unloaded."""
    assert loaded_by_the_server.stdout == "redis\n", loaded_by_the_server.stderr


def test_a_value_can_come_from_a_file(load: Load, tmp_path: Path):
    secret, database = tmp_path / "secret", tmp_path / "database"
    secret.write_text(f"{SECRET}\n")
    database.write_text("postgres://study:from-file@db/study\n")
    variables = PRODUCTION | {"SECRET_KEY_FILE": str(secret), "DATABASE_URL_FILE": str(database)}
    del variables["SECRET_KEY"]
    loaded = load(**variables)
    assert (loaded.SECRET_KEY, loaded.DATABASES["default"]["PASSWORD"]) == (SECRET, "from-file")


def test_a_missing_file_is_named(load: Load, tmp_path: Path):
    with pytest.raises(ImproperlyConfigured, match=r"^SECRET_KEY_FILE cannot be read: .+$"):
        load(**(PRODUCTION | {"SECRET_KEY_FILE": str(tmp_path / "none")}))


MODEL = {"SYLLABUS_MODEL_URL": "https://api.example.org/v1/", "SYLLABUS_MODEL": "small"}


def test_no_language_model_is_used_unless_one_is_named(load: Load, tmp_path: Path) -> None:
    assert load(**PRODUCTION).SYLLABUS_MODEL is None
    (tmp_path / "key").write_text("sk-123\n")
    model = load(**PRODUCTION, **MODEL, SYLLABUS_MODEL_KEY_FILE=str(tmp_path / "key")).SYLLABUS_MODEL
    assert (model.url, model.name, model.label) == ("https://api.example.org/v1", "small", "api.example.org")
    assert model.key == "sk-123"
    assert "sk-123" not in repr(model)
    assert load(**PRODUCTION, **MODEL, SYLLABUS_MODEL_LABEL="Our model").SYLLABUS_MODEL.label == "Our model"


@each(
    "url",
    ["http://127.0.0.1:11434/v1", "http://[::1]:11434/v1", "http://10.1.2.3/v1", "http://ollama:11434/v1"],
)
def test_a_language_model_nearby_needs_no_https(load: Load, url: str) -> None:
    assert load(**PRODUCTION, **MODEL | {"SYLLABUS_MODEL_URL": url}).SYLLABUS_MODEL.url == url


@each(
    ("changes", "message"),
    [
        ({"SYLLABUS_MODEL": ""}, "SYLLABUS_MODEL must be set too"),
        ({"SYLLABUS_MODEL_URL": ""}, "SYLLABUS_MODEL_URL must be set too"),
        ({"SYLLABUS_MODEL_URL": "http://api.example.org/v1"}, "SYLLABUS_MODEL_URL must be https, except"),
        ({"SYLLABUS_MODEL_URL": "http://8.8.8.8/v1"}, "SYLLABUS_MODEL_URL must be https, except"),
        ({"SYLLABUS_MODEL_URL": "https://me:pw@api.example.org"}, "SYLLABUS_MODEL_URL must be the root"),
        ({"SYLLABUS_MODEL_URL": "https://api.example.org/v1?a=b"}, "SYLLABUS_MODEL_URL must be the root"),
        ({"SYLLABUS_MODEL_URL": "api.example.org"}, "SYLLABUS_MODEL_URL must be the root"),
        ({"SYLLABUS_MODEL_KEY": "two words"}, "SYLLABUS_MODEL_KEY must be one word"),
        ({"SYLLABUS_MODEL_LABEL": "x" * 61}, "SYLLABUS_MODEL_LABEL must be one line"),
    ],
)
def test_a_partial_or_wrong_language_model_is_named(load: Load, changes: Any, message: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=f"^{message}"):
        load(**PRODUCTION, **MODEL | changes)


def test_a_key_without_a_language_model_is_refused(load: Load) -> None:
    with pytest.raises(ImproperlyConfigured, match=r"^SYLLABUS_MODEL_URL and SYLLABUS_MODEL must be set too"):
        load(**PRODUCTION, SYLLABUS_MODEL_KEY="sk-123")


OIDC = {
    "OIDC_ISSUER": "https://login.example.org/realms/college",
    "OIDC_CLIENT_ID": "study",
    "OIDC_CLIENT_SECRET": "s3cret",
    "OIDC_NAME": "Example College",
}


def test_there_is_no_identity_provider_unless_one_is_named(load: Load, tmp_path: Path) -> None:
    assert load(**PRODUCTION).IDENTITY_PROVIDER is None
    (tmp_path / "secret").write_text("s3cret\n")
    given = OIDC | {"OIDC_CLIENT_SECRET": "", "OIDC_CLIENT_SECRET_FILE": str(tmp_path / "secret")}
    provider = load(**PRODUCTION, **given).IDENTITY_PROVIDER
    assert (provider.issuer, provider.client_id, provider.client_secret, provider.name) == tuple(OIDC.values())
    assert (provider.sign_up, provider.members, provider.members_days) == (False, None, 180)
    assert "s3cret" not in repr(provider)


def test_the_options_of_the_identity_provider_are_read(load: Load) -> None:
    more = {"OIDC_SIGN_UP": "yes", "OIDC_MEMBERS": "https://a.example/role=a=b", "OIDC_MEMBERS_DAYS": "30"}
    provider = load(**PRODUCTION, **OIDC, **more).IDENTITY_PROVIDER
    assert (provider.sign_up, provider.members, provider.members_days) == (True, ("https://a.example/role", "a=b"), 30)


@each("issuer", ["http://127.0.0.1:9000", "http://localhost:9000/realms/x", "https://login.example.org/o/study/"])
def test_beside_a_base_url_on_loopback_the_provider_may_be_there_too(load: Load, issuer: str) -> None:
    near = PRODUCTION | {"BASE_URL": "http://127.0.0.1:8000"}
    assert load(**near, **OIDC | {"OIDC_ISSUER": issuer}).IDENTITY_PROVIDER.issuer == issuer


@each(
    ("changes", "message"),
    [
        ({"OIDC_ISSUER": ""}, "OIDC_ISSUER must be set too"),
        ({"OIDC_CLIENT_ID": ""}, "OIDC_CLIENT_ID must be set too"),
        ({"OIDC_CLIENT_SECRET": "", "OIDC_NAME": ""}, "OIDC_CLIENT_SECRET and OIDC_NAME must be set too"),
        (
            dict.fromkeys(OIDC, "") | {"OIDC_SIGN_UP": "yes"},
            "OIDC_ISSUER and OIDC_CLIENT_ID and OIDC_CLIENT_SECRET and",
        ),
        (dict.fromkeys(OIDC, "") | {"OIDC_MEMBERS": "a=b"}, "OIDC_ISSUER and"),
        ({"OIDC_ISSUER": "http://login.example.org"}, "OIDC_ISSUER must be https, except on loopback"),
        ({"OIDC_ISSUER": "http://127.0.0.1:9000"}, "OIDC_ISSUER must be https, except on loopback"),
        ({"OIDC_ISSUER": "http://10.0.0.5"}, "OIDC_ISSUER must be https, except on loopback"),
        ({"OIDC_ISSUER": "login.example.org"}, "OIDC_ISSUER must be the provider's issuer"),
        ({"OIDC_ISSUER": "https://login.example.org/?a=b"}, "OIDC_ISSUER must be the provider's issuer"),
        ({"OIDC_ISSUER": "https://me:pw@login.example.org"}, "OIDC_ISSUER must be the provider's issuer"),
        ({"OIDC_ISSUER": f"https://login.example.org/{'x' * 255}"}, "OIDC_ISSUER must be the provider's issuer"),
        ({"OIDC_NAME": "x" * 61}, "OIDC_NAME must be one line"),
        ({"OIDC_NAME": "a\tb"}, "OIDC_NAME must be one line"),
        ({"OIDC_CLIENT_SECRET": "é"}, "OIDC_CLIENT_SECRET must be one line of ASCII"),
        ({"OIDC_SIGN_UP": "maybe"}, "OIDC_SIGN_UP must be no or yes, not 'maybe'"),
        ({"OIDC_MEMBERS": "students"}, "OIDC_MEMBERS must be claim=value"),
        ({"OIDC_MEMBERS": "=students"}, "OIDC_MEMBERS must be claim=value"),
        ({"OIDC_MEMBERS": "groups="}, "OIDC_MEMBERS must be claim=value"),
        ({"OIDC_MEMBERS": "a=b", "OIDC_MEMBERS_DAYS": "0"}, "OIDC_MEMBERS_DAYS must be a whole number from 1"),
        ({"OIDC_MEMBERS_DAYS": "30"}, "OIDC_MEMBERS must be set too"),
    ],
)
def test_a_partial_or_wrong_identity_provider_is_named(load: Load, changes: Any, message: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=f"^{message}"):
        load(**PRODUCTION, **OIDC | changes)


def test_by_default_nobody_can_join(load: Load):
    assert load(**PRODUCTION).SIGN_UP == "closed"


def test_the_trial_secret_is_enough_for_loopback(load: Load, tmp_path: Path):
    (tmp_path / "trial-secret-key").write_text(SECRET)
    loaded = load(PORT="8123")
    assert (loaded.BASE_URL, loaded.EMAIL_BACKEND.split(".")[-2]) == ("http://127.0.0.1:8123", "console")


@pytest.mark.parametrize(
    "origin",
    ["http://192.168.1.20:8000", "http://10.0.0.5", "http://[fd00::5]:8000", "http://desk:8000", "http://desk.local"],
)
def test_a_trial_can_run_on_a_private_network(load: Load, tmp_path: Path, origin: str):
    (tmp_path / "trial-secret-key").write_text(SECRET)
    loaded = load(HOST="0.0.0.0", BASE_URL=origin)  # noqa: S104
    assert vars(loaded)["BASE_URL"] == origin


@pytest.mark.parametrize(
    "origin", ["http://example.org", "http://203.0.113.5x", "http://8.8.8.8", "http://0.0.0.0:8000"]
)
def test_a_trial_cannot_run_on_the_internet_over_http(load: Load, tmp_path: Path, origin: str):
    (tmp_path / "trial-secret-key").write_text(SECRET)
    with pytest.raises(ImproperlyConfigured) as refused:
        load(HOST="0.0.0.0", BASE_URL=origin)  # noqa: S104
    why = "BASE_URL must be https, except on loopback or, in a trial, in a private network"
    assert str(refused.value) == f"{why}: {origin}"


def test_options_of_the_database_url_reach_the_driver(load: Load):
    url = "postgres://study:p%40ss@db:6432/study?sslmode=require&connect_timeout=9&options=-c%20work_mem%3D8MB"
    database = load(**(PRODUCTION | {"DATABASE_URL": url})).DATABASES["default"]
    assert (database["HOST"], database["PORT"], database["PASSWORD"]) == ("db", 6432, "p@ss")
    assert database["OPTIONS"] == TRANSPORT | {
        "sslmode": "require",
        "connect_timeout": 9,
        "server_side_binding": True,
        "prepare_threshold": 3,
        "options": f"{WAITS} -c work_mem=8MB",
        "deadline": 17,
    }


def test_commands_wait_longer_for_the_database(load: Load):
    options = load(**PRODUCTION).COMMAND_DATABASES["default"]["OPTIONS"]
    long = "-c lock_timeout=60s -c statement_timeout=3600s -c idle_in_transaction_session_timeout=3600s"
    assert (options["options"], options["deadline"]) == (long, 3602)


def test_a_sqlite_lock_has_the_same_timeout(load: Load):
    loaded = load(**(PRODUCTION | {"DATABASE_URL": ""}))
    databases = (loaded.DATABASES, loaded.COMMAND_DATABASES)
    assert [each["default"]["OPTIONS"]["timeout"] for each in databases] == [5, 60]


def test_behind_a_pooler_nothing_outlives_a_transaction(load: Load):
    database = load(**(PRODUCTION | {"DATABASE_POOLED": "true"})).DATABASES["default"]
    assert database["DISABLE_SERVER_SIDE_CURSORS"] is True
    assert database["OPTIONS"] == TRANSPORT | {"server_side_binding": True, "prepare_threshold": None, "deadline": 17}


def test_distributed_members_use_the_citus_backend_and_middleware(load: Load):
    middleware = "studyservice.citus.bulkhead.ServerPlaceMiddleware"
    one, spread = load(**PRODUCTION), load(**(PRODUCTION | {"DATABASE_DISTRIBUTED": "true"}))
    engines = [each.DATABASES["default"]["ENGINE"] for each in (one, spread)]
    assert engines == ["studyservice.database.postgresql", "studyservice.citus.backend"]
    assert spread.COMMAND_DATABASES["default"]["ENGINE"] == "studyservice.citus.backend"
    assert [name for name in spread.MIDDLEWARE if name not in one.MIDDLEWARE] == [middleware]


def test_metadata_names_the_operators_of_the_service(tmp_path: Path) -> None:
    """OpenAPI 3.1 section 4.8.2, RFC 9728 section 2."""
    links = {
        "CONTACT_URL": "mailto:help@example.org",
        "PRIVACY_URL": "https://example.org/privacy",
        "TERMS_URL": "https://example.org/terms",
    }
    script = (
        "import django, json; django.setup();"
        "from django.test import Client; client = Client(headers={'host': 'localhost', 'x-forwarded-proto': 'https'});"
        "print(json.dumps(client.get('/openapi.json').json()['info']));"
        "print(json.dumps(client.get('/.well-known/oauth-protected-resource').json()))"
    )
    environment = PRODUCTION | links | {"DATA_DIR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "studyservice.settings"}
    answer = ended(tmp_path, "-c", script, environment=environment)
    info, resource = map(json.loads, answer.stdout.splitlines())
    assert info["contact"] == {"url": links["CONTACT_URL"]}
    assert info["termsOfService"] == links["TERMS_URL"]
    assert resource["resource_policy_uri"] == links["PRIVACY_URL"]
    assert resource["resource_tos_uri"] == links["TERMS_URL"]


def test_every_variable_is_documented():
    source = "".join((ROOT / "studyservice" / name).read_text() for name in ("settings.py", "environment.py"))
    read = set(re.findall(r'(?:text|count|seconds|flag|choice|web_address|env\.list)\(\s*"([A-Z_]+)"', source))
    table = (ROOT / "docs" / "operating.md").read_text()
    documented = {
        name
        for cell in re.findall(r"^\| (`[A-Z_`, ]+`) \|", table, re.MULTILINE)
        for name in re.findall("[A-Z_]+", cell)
    }
    assert {"SECRET_KEY", "TRUSTED_PROXIES"} < read
    assert documented == read


@each(
    ("variables", "header"),
    [
        ({}, "max-age=31536000"),
        ({"HSTS_INCLUDE_SUBDOMAINS": "true"}, "max-age=31536000; includeSubDomains"),
        (
            {"HSTS_INCLUDE_SUBDOMAINS": "true", "HSTS_PRELOAD": "true"},
            "max-age=31536000; includeSubDomains; preload",
        ),
        ({"BASE_URL": "http://localhost:8000"}, None),
    ],
)
def test_https_is_required_on_this_host_and_on_others_if_configured(
    load: Load, variables: dict[str, str], header: str | None
) -> None:
    names = {name: value for name, value in vars(load(**(PRODUCTION | variables))).items() if "HSTS" in name}
    assert len(names) == 3
    with override_settings(**names):
        answer = SecurityMiddleware(lambda request: HttpResponse())(RequestFactory().get("/", secure=True))
    assert isinstance(answer, HttpResponse)
    assert answer.headers.get("Strict-Transport-Security") == header


WARNED = (
    "?: (studyservice.W001) BASE_URL is https, but TRUSTED_PROXIES is 0.",
    "HINT: Set TRUSTED_PROXIES to the number of proxies that a request passes",
)


def test_https_without_a_trusted_proxy_warns_at_the_start(loaded_by_the_server):
    """Every page would redirect to itself forever, and everybody would share the proxy's rate."""
    assert loaded_by_the_server.returncode == 0
    assert [text for text in WARNED if text not in loaded_by_the_server.stderr] == []


def test_each_command_of_operators_warns_too(settings: Any) -> None:
    """Commands may have another environment than the server, so only checks of variables run."""
    settings.BASE_URL, settings.TRUSTED_PROXIES = "https://study.example.org", 0
    ours = {name: app for name, app in get_commands().items() if (ROOT / app.split(".")[0]).is_dir()}
    assert {"delivermail", "createmember", "checkconnection"} < ours.keys()
    for name in ours.keys() - CHECK_ALL:
        command, stderr = load_command_class(ours[name], name), StringIO()
        command.stderr = OutputWrapper(stderr)
        command.check(tags=command.requires_system_checks)
        assert [text for text in WARNED if text not in stderr.getvalue()] == [], name
        assert command.requires_system_checks == (ENVIRONMENT,), name


CHECK_ALL = {"migrate", "distribute", "serverjson"}
"""Commands that run every system check."""


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("SIGNUP", "SIGN_UP"),
        ("SIGNUP_FILE", "SIGN_UP_FILE"),
        ("TRUSTED_PROXY", "TRUSTED_PROXIES"),
        ("DATABASE_URI", "DATABASE_URL"),
        ("SECRET_KEY_FALLBACK", "SECRET_KEY_FALLBACKS"),
        ("redis_url", "REDIS_URL"),
        ("BACKUP_KEPT", "BACKUPS_KEPT"),
    ],
)
def test_a_misspelled_variable_is_named(monkeypatch: pytest.MonkeyPatch, name: str, meant: str) -> None:
    monkeypatch.setenv(name, "1")
    [found] = [one for one in run_checks(tags=[ENVIRONMENT]) if one.id == "studyservice.W005"]
    assert (found.msg, found.hint) == (f"{name} is not a variable of the service.", f"Did you mean {meant}?")


def test_variables_of_the_machine_are_not_taken_for_misspelled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of shells, systemd, containers, clouds and other frameworks; and those that only `deploy/backup.sh` reads."""
    others = """HOSTNAME HOSTTYPE MAIL STATE_DIRECTORY JOURNAL_STREAM PYTHON_VERSION REDIS_PORT REDIS_SERVICE_HOST
        STUDY_PORT WEB_MEMORY CI_SERVER_URL PGHOST PGPORT POSTGRES_DB AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY
        AWS_ENDPOINT_URL HTTP_PROXY EMAIL_HOST ALLOWED_HOSTS DJANGO_SECRET_KEY SERVER_EMAIL BACKUPS SECRET_KEY_FILE"""
    for name in others.split():
        monkeypatch.setenv(name, "1")
    assert [one.msg for one in run_checks(tags=[ENVIRONMENT]) if one.id == "studyservice.W005"] == []


def test_a_command_does_not_load_the_tools(run) -> None:
    """They take as long as the rest of the start, and a timer starts a command every few minutes."""
    code = (
        "import sys; print('accounts.models' in sys.modules, 'mcp' in sys.modules, 'studyservice.urls' in sys.modules)"
    )
    answer = run("manage.py", "shell", "--no-imports", "--command", code, **PRODUCTION)
    assert answer.stdout == "True False False\n", answer.stderr


@pytest.mark.parametrize(
    ("base_url", "proxies", "warned"),
    [
        ("https://study.example.org", 0, True),
        ("https://study.example.org", 1, False),
        ("http://localhost:8000", 0, False),
    ],
)
def test_only_https_requires_a_trusted_proxy(settings: Any, base_url: str, proxies: int, warned: bool) -> None:
    settings.BASE_URL, settings.TRUSTED_PROXIES = base_url, proxies
    assert ("studyservice.W001" in [message.id for message in run_checks()]) is warned


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/health", {}, 200),
        ("/health/live", {}, 200),
        ("/health/ready", {}, 200),
        ("/keys", {}, 301),
        ("/v1/me", {}, 400),
        ("/mcp", {}, 400),
        ("/v1/me", {"X-Forwarded-Proto": "https"}, 401),
    ],
)
def test_behind_a_proxy_https_depends_on_the_proxys_header(settings, path, headers, status):
    """Over http, only health checks answer. Pages redirect to https, and the API rejects calls."""
    settings.SECURE_SSL_REDIRECT = True
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    response = Client().get(path, headers=headers)
    assert response.status_code == status
    if is_api_path(path):
        check_headers(response)


@pytest.mark.parametrize("path", ["/oauth/token", "/oauth/register", "/oauth/revoke"])
def test_over_http_no_oauth_endpoint_accepts_a_secret(settings, path):
    """A redirect would let a client send it unencrypted forever."""
    settings.SECURE_SSL_REDIRECT = True
    response = Client().post(path, "x", content_type="application/x-www-form-urlencoded")
    assert error_of(response) == (400, "invalid_request")
    assert "https" in response.json()["error_description"]


def test_an_untrusted_proxys_https_header_is_ignored(load: Load):
    assert not hasattr(load(**(PRODUCTION | {"TRUSTED_PROXIES": "0"})), "SECURE_PROXY_SSL_HEADER")
    assert load(**PRODUCTION).SECURE_PROXY_SSL_HEADER == ("HTTP_X_FORWARDED_PROTO", "https")
