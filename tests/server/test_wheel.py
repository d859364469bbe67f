"""The package, as `pipx install` gets it: it carries all that it needs, and keeps nothing beside its code."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests import ROOT
from tests.support.server import free_port, wait_for

pytestmark = pytest.mark.once("the package")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory into which the wheel is installed, beside no sources."""
    built, site = tmp_path_factory.mktemp("dist"), tmp_path_factory.mktemp("site")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(built)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    [wheel] = built.glob("study_data_service-*.whl")
    install = [
        "uv",
        "pip",
        "install",
        "--offline",
        "--no-deps",
        "--python",
        sys.executable,
        "--target",
        str(site),
        str(wheel),
    ]
    subprocess.run([sys.executable, "-m", *install], cwd=site, check=True, capture_output=True)
    return site


@pytest.fixture
def environment(site: Path, tmp_path: Path) -> dict[str, str]:
    """That of a user who set nothing."""
    return {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(site), "PORT": str(free_port())}


def test_one_command_serves_a_trial(site: Path, environment: dict[str, str], tmp_path: Path) -> None:
    command = [sys.executable, str(site / "bin" / "study-data-service")]
    with (tmp_path / "printed").open("w+") as printed:
        server = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=printed, stderr=subprocess.STDOUT)
        base = f"http://127.0.0.1:{environment['PORT']}"
        try:
            wait_for(base, server)
            with urlopen(f"{base}/", timeout=30) as page:  # noqa: S310  # http on loopback
                [style] = re.findall(r'href="(/static/[^"]+\.css)"', page.read().decode())[:1]
            with urlopen(f"{base}/docs/quickstart", timeout=30) as guide:  # noqa: S310  # the same
                assert f"export STUDY_URL={base}" in guide.read().decode()
            with urlopen(f"{base}{style}", timeout=30) as sheet:  # noqa: S310  # the same
                assert sheet.headers["Content-Type"].startswith("text/css")
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(30)
        printed.seek(0)
        text = printed.read()
    assert "study-data-service manage createmember" in text
    assert (tmp_path / ".local/share/study-data-service/studyservice.sqlite3").exists()
    assert not list(site.rglob("*.sqlite3"))
    assert not (site / "staticfiles").exists()


@pytest.mark.thorough("the trial runs from the same package")
def test_the_commands_of_operators_are_there(site: Path, environment: dict[str, str], tmp_path: Path) -> None:
    command = [
        sys.executable,
        str(site / "bin" / "study-data-service"),
        "manage",
        "makemigrations",
        "--check",
        "--dry-run",
    ]
    environment |= {
        "SECRET_KEY": os.urandom(40).hex(),
        "BASE_URL": "http://127.0.0.1:8000",
        "EMAIL_URL": "consolemail://",
        "DATA_DIR": str(tmp_path),
    }
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "No changes detected\n", "")
