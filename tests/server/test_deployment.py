"""The image and the composition without containers: what they ship migrates, serves and stops as documented."""

import json
import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests import ROOT
from tests.support.cases import each
from tests.support.forked import ended
from tests.support.shipped import PAGES, admitted, copy_admitted, serving, status

pytestmark = pytest.mark.database("sqlite", "files of the image and the composition")

DOCKERFILE = (ROOT / "Dockerfile").read_text()
GIVEN = {
    "SECRET_KEY": "correct-horse-battery-staple-with-quite-some-more-0123456789",
    "BASE_URL": "https://study.example.org",
    "EMAIL_URL": "consolemail://",
    "POSTGRES_PASSWORD": "letters",
    "REDIS_PASSWORD": "digits",
    "WEB_CONCURRENCY": "1",
}
"""The `.env` of an operator."""


def composition(given: dict[str, str], part: str = "services") -> Any:
    """A part of `compose.yaml` with its variables filled in, as `docker compose` does.

    Raises:
        LookupError: a required variable is missing; with its name.
    """

    def fill(found: re.Match[str]) -> str:
        name, otherwise, text = found.groups()
        if given.get(name):
            return given[name]
        if otherwise == ":?":
            raise LookupError(name)
        return str(text)

    def filled(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: filled(one) for key, one in value.items()}
        if isinstance(value, list):
            return [filled(one) for one in value]
        return re.sub(r"\$\{([A-Z0-9_]+)(:[?-])([^}]*)\}", fill, value) if isinstance(value, str) else value

    return filled(yaml.safe_load((ROOT / "compose.yaml").read_text())[part])


def commands() -> list[Any]:
    """The commands of the image: its health check, and the server."""
    return [json.loads(command) for command in re.findall(r"^ *CMD (\[.*\])$", DOCKERFILE, re.MULTILINE)]


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the files that `.dockerignore` admits to the image."""
    directory = tmp_path_factory.mktemp("image")
    copy_admitted(directory)
    return directory


def test_no_secret_and_no_data_goes_into_the_image(tmp_path: Path) -> None:
    """The rules name what goes in, so any other file in a checkout stays out."""
    for name in (".env", "study.env", "var/studyservice.sqlite3", "backups/study.dump", "accounts/models.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert admitted(tmp_path) == ["accounts/models.py"]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """The environment of the container, but with a database file and without Redis."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    own = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    beside = {"DATABASE_URL": "", "REDIS_URL": "", "DATA_DIR": str(tmp_path), "HOST": "127.0.0.1", "PORT": str(port)}
    composed: dict[str, str] = composition(GIVEN)["web"]["environment"]
    return own | composed | beside


def runs() -> list[str]:
    """The shell commands of the image that need only its files: no network, no root, no other directory."""
    told = re.findall(r"^RUN ((?:.*\\\n)*.*)$", DOCKERFILE, re.MULTILINE)
    return [run for run in told if not re.search(r"pip install|groupadd|-m venv", run)]


def test_the_shipped_files_build_migrate_serve_and_stop(image: Path, environment: dict[str, str]) -> None:
    """With the commands of the image and of compose.yaml, and no other file of the repository.

    The database is a copy of the tests' migrated one.
    """
    data = Path(environment["DATA_DIR"])
    shutil.copy(Path(os.environ["DATA_DIR"]) / "studyservice.sqlite3", data)
    (image / "manage.py").chmod(0o600)  # as in a checkout under umask 077
    [build] = runs()
    build = build.replace("/opt/venv/bin/python", sys.executable).replace("DATA_DIR=/tmp", f"DATA_DIR={data}")
    built = subprocess.run(["/bin/sh", "-c", build], cwd=image, env=environment, capture_output=True, check=False)
    assert (built.returncode, built.stderr.decode()) == (0, "")
    assert [path for path in image.rglob("*") if not path.stat().st_mode & stat.S_IROTH] == []
    services = composition(GIVEN)
    check, server = commands()

    def run(command: list[str]) -> int:
        assert command[0] == "python"
        arguments = [argument.removesuffix(".py") for argument in command[1:]]  # `manage.py` by its module's name
        return ended(data, *arguments, environment=environment, root=image).returncode

    assert run(services["migrate"]["command"]) == 0
    with serving(image, server, environment) as (origin, process):
        assert run(check) == 0
        assert {path: status(origin + path) for path in PAGES} == dict.fromkeys(PAGES, 200)
        [stop] = re.findall(r"^STOPSIGNAL (\w+)$", DOCKERFILE, re.MULTILINE)
        process.send_signal(signal.Signals[stop])
        assert process.wait(timeout=_seconds(services["web"]["stop_grace_period"])) == 0
        assert run(check) == 1


def test_a_stop_waits_for_running_requests(environment: dict[str, str], tmp_path: Path) -> None:
    """Gunicorn's configured grace period is shorter than that of the composition."""
    _, server = commands()
    shown = ended(tmp_path, *server, "--print-config", environment=environment)
    [patience] = re.findall(r"^graceful_timeout += (\d+)$", shown.stdout, re.MULTILINE)
    assert int(patience) < _seconds(composition(GIVEN)["web"]["stop_grace_period"])


def _seconds(text: str) -> int:
    return int(text.removesuffix("s"))


def test_the_composition_passes_every_variable_of_the_service() -> None:
    """The variables in docs/operating.md, which `test_settings.py` compares with the settings."""
    table = re.findall(r"^\| (`[A-Z0-9_`, ]+`) \|", (ROOT / "docs" / "operating.md").read_text(), re.MULTILINE)
    documented = {name for cell in table for name in re.findall("[A-Z0-9_]+", cell)}
    [of_the_image] = re.findall(r"^ENV PATH.*$", DOCKERFILE, re.MULTILINE)
    set_there = {name for name in documented if f" {name}=" in of_the_image}
    assert set_there == {"DATA_DIR", "HOST", "PORT"}
    assert composition(GIVEN)["web"]["environment"].keys() == documented - set_there


def test_a_given_value_is_passed() -> None:
    """An empty variable means the service's default."""
    for name, default in composition(GIVEN)["web"]["environment"].items():
        if not default:
            assert composition(GIVEN | {name: "given"})["web"]["environment"][name] == "given"


def test_redis_has_a_password_and_every_service_a_limit() -> None:
    services = composition(GIVEN)
    assert services["web"]["environment"]["REDIS_URL"] == "redis://:digits@redis:6379/0"
    assert "digits" not in " ".join(services["redis"]["command"])
    assert services["redis"]["environment"] == {"REDISCLI_AUTH": "digits"}
    for name, service in services.items():
        assert service["mem_limit"], name
        assert service["logging"]["options"] == {"max-size": "10m", "max-file": "5"}, name


def test_redis_reads_its_password_from_standard_input(tmp_path: Path) -> None:
    """The command of compose.yaml, on another port."""
    if shutil.which("redis-server") is None:
        pytest.skip("redis-server is not on PATH")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    shell, option, command = composition(GIVEN)["redis"]["command"]
    command = command.replace("$$", "$").replace("redis-server -", f"redis-server - --port {port}")
    environment = {"PATH": os.environ["PATH"], "REDISCLI_AUTH": "digits"}
    server = subprocess.Popen([shell, option, command], cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL)

    def answer(**extra: str) -> str:
        asked = subprocess.run(
            ["/usr/bin/env", "redis-cli", "-p", str(port), "ping"],
            env={"PATH": os.environ["PATH"]} | extra,
            capture_output=True,
            text=True,
            check=False,
        )
        return asked.stdout.strip()

    try:
        deadline = time.monotonic() + 10
        while answer(REDISCLI_AUTH="digits") != "PONG" and time.monotonic() < deadline:
            time.sleep(0.05)
        assert answer(REDISCLI_AUTH="digits") == "PONG"
        assert answer().startswith("NOAUTH")
    finally:
        subprocess.run(
            ["/usr/bin/env", "redis-cli", "-p", str(port), "shutdown", "nosave"],
            env=environment,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        server.wait(timeout=10)


def test_images_have_exact_versions_replaceable_by_digests() -> None:
    images = {name: service["image"] for name, service in composition(GIVEN).items() if name in {"postgres", "redis"}}
    assert all(re.search(r":\d+\.\d+", image) for image in images.values())
    assert re.search(r"^ARG PYTHON_IMAGE=python:3\.\d+\.\d+-", DOCKERFILE, re.MULTILINE)
    pinned = f"postgres:18.4@sha256:{'0' * 64}"
    services = composition(GIVEN | {"POSTGRES_IMAGE": pinned})
    assert services["postgres"]["image"] == services["backups"]["image"] == pinned


@each("name", ["SECRET_KEY", "BASE_URL", "EMAIL_URL", "POSTGRES_PASSWORD", "REDIS_PASSWORD"])
def test_a_missing_required_variable_stops_the_start(name: str) -> None:
    """No secret has a default."""
    with pytest.raises(LookupError, match=name):
        composition(GIVEN | {name: ""})


def test_migrations_run_before_the_server_and_against_its_database() -> None:
    services = composition(GIVEN)
    assert services["web"]["depends_on"]["migrate"] == {"condition": "service_completed_successfully"}
    assert services["migrate"]["environment"] == services["web"]["environment"] == services["schedule"]["environment"]


def test_only_the_service_is_reachable_and_only_from_this_machine() -> None:
    published = {name: service["ports"] for name, service in composition(GIVEN).items() if "ports" in service}
    assert published == {"web": ["127.0.0.1:8000:8000"]}


def test_the_database_and_redis_cannot_reach_the_internet() -> None:
    """Their networks are internal. Only the service is also in one that is not."""
    networks = {name: network or {} for name, network in composition(GIVEN, "networks").items()}
    closed = {name for name, network in networks.items() if network.get("internal") is True}
    on = {name: set(service["networks"]) for name, service in composition(GIVEN).items()}
    assert {name for name, networks in on.items() if networks <= closed} == {"backups", "postgres", "redis"}
    assert on["postgres"] & on["web"]
    assert on["redis"] & on["web"]
    assert on["web"] - closed


def test_the_image_is_locked_and_not_root() -> None:
    assert "--require-hashes" in DOCKERFILE
    assert re.search(r"^USER 10001:10001$", DOCKERFILE, re.MULTILINE)


def test_the_image_runs_the_documented_server() -> None:
    _, server = commands()
    assert " ".join(server) in (ROOT / "docs" / "operating.md").read_text()
