"""The image and the composition: what they name exists, and nothing weak is a default."""

import re
from typing import Any

import pytest
import yaml

from tests import ROOT

DOCKERFILE = (ROOT / "Dockerfile").read_text()
COMPOSE: Any = yaml.safe_load((ROOT / "compose.yaml").read_text())
SERVICES = COMPOSE["services"]
SERVER = ["gunicorn", "-c", "studyservice/gunicorn.py", "studyservice.wsgi"]


def _known() -> set[str]:
    """Every variable that the settings read."""
    source = "".join((ROOT / "studyservice" / name).read_text() for name in ("settings.py", "environment.py"))
    return set(re.findall(r'(?:text|count|seconds|flag|env\.list)\(\s*"([A-Z_]+)"', source))


def test_the_image_runs_the_documented_server() -> None:
    [command] = re.findall(r"^CMD (\[.*\])$", DOCKERFILE, re.MULTILINE)
    assert yaml.safe_load(command) == SERVER
    assert " ".join(SERVER) in (ROOT / "docs" / "operating.md").read_text()


def test_the_image_has_the_whole_service_and_nothing_else() -> None:
    """An application that is missing here would be missing there."""
    lines = (ROOT / ".dockerignore").read_text().split()
    shipped = {line[1:] for line in lines if line.startswith("!")}
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests", "bench", "trial"}
    assert "*" in lines
    assert shipped == packages | {"manage.py", "requirements.txt", "templates"}


def test_the_image_is_locked_and_not_root() -> None:
    assert "--require-hashes" in DOCKERFILE
    assert re.search(r"^USER 10001:10001$", DOCKERFILE, re.MULTILINE)
    assert re.search(r"^STOPSIGNAL SIGTERM$", DOCKERFILE, re.MULTILINE)
    assert "/health" in re.findall(r"^HEALTHCHECK .*\\\n.*$", DOCKERFILE, re.MULTILINE)[0]


def test_every_variable_of_the_service_is_known() -> None:
    assert set(SERVICES["web"]["environment"]) <= _known()
    assert {"DATA_DIR", "HOST", "PORT"} <= _known()


@pytest.mark.parametrize("name", ["SECRET_KEY", "BASE_URL", "EMAIL_URL"])
def test_what_must_not_be_missing_stops_the_start(name: str) -> None:
    assert SERVICES["web"]["environment"][name].startswith(f"${{{name}:?")


def test_no_password_has_a_default() -> None:
    values = [value for service in SERVICES.values() for value in service.get("environment", {}).values()]
    secret = [value for value in values if re.search(r"KEY|PASSWORD", str(value)) and "FALLBACKS" not in str(value)]
    assert len(secret) >= 3
    assert all(":?" in value for value in secret)


def test_migrations_run_before_the_server() -> None:
    assert SERVICES["web"]["depends_on"]["migrate"] == {"condition": "service_completed_successfully"}
    assert SERVICES["migrate"]["command"][1:] == ["manage.py", "migrate", "--no-input"]
    assert SERVICES["migrate"]["environment"] == SERVICES["web"]["environment"]


def test_only_the_service_can_be_reached_and_only_from_this_machine() -> None:
    published = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
    assert list(published) == ["web"]
    assert all(port.startswith("127.0.0.1:") for port in published["web"])
    assert COMPOSE["networks"]["inside"] == {"internal": True}


def test_a_stop_waits_for_running_requests() -> None:
    """Gunicorn's own patience ends before that of the composition."""
    [patience] = re.findall(
        r"^graceful_timeout = (\d+)$", (ROOT / "studyservice/gunicorn.py").read_text(), re.MULTILINE
    )
    assert int(SERVICES["web"]["stop_grace_period"].removesuffix("s")) > int(patience)
