"""The package as installed by `pipx install`: it contains everything it needs, and writes nothing beside its code."""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests import ROOT
from tests.support import shipped
from tests.support.forked import ended
from tests.support.locked import install_locked
from tests.support.server import free_port
from tests.support.shipped import PAGES
from tools.release import package

pytestmark = pytest.mark.database("sqlite", "the package")


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The contents of the built source distribution."""
    built = tmp_path_factory.mktemp("sources")
    _build("sdist", ROOT, built)
    [packed] = built.iterdir()
    with tarfile.open(packed) as archive:
        archive.extractall(built, filter="data")
    return built / packed.name.removesuffix(".tar.gz")


@pytest.fixture(scope="module")
def wheel(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that is built from the source distribution, so that both have every file."""
    built = tmp_path_factory.mktemp("dist")
    _build("wheel", sdist, built)
    [wheel] = built.iterdir()
    return wheel


def _build(target: str, sources: Path, directory: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", str(directory)]
    subprocess.run(build, cwd=sources, check=True, capture_output=True)


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with only the package and the packages of `requirements/runtime.txt`."""
    venv = tmp_path_factory.mktemp("venv")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    install_locked(ROOT / "requirements" / "runtime.txt", _site_packages(venv))
    install = ["uv", "pip", "install", "--offline", "--no-deps", "--python", str(venv / "bin" / "python"), str(wheel)]
    subprocess.run([sys.executable, "-m", *install], cwd=venv, check=True, capture_output=True)
    return venv


def test_it_contains_the_service_without_its_tests(wheel: Path) -> None:
    """And, beside the code, the files that an operator without a checkout needs."""
    names = zipfile.ZipFile(wheel).namelist()
    version = wheel.name.split("-")[1]
    data = f"study_data_service-{version}.data/data/share/study-data-service/"
    shared = {name.removeprefix(data) for name in names if name.startswith(data)}
    code = {name.partition("/")[0] for name in names if not name.startswith(f"study_data_service-{version}.")}
    assert code == {"accounts", "courses", "grades", "mcpbridge", "oauthserver", "planning"} | {
        "practice",
        "studyservice",
        "vocab",
    }
    assert shared == {"requirements.txt", *(f"deploy/{file.name}" for file in (ROOT / "deploy").iterdir())}
    assert [name for name in names if re.search(r"(^|/)(tests?|bench|conftest|test_\w+)(/|\.py$)", name)] == []


def test_its_files_migrate_and_serve_pages(wheel: Path, production: dict[str, str], tmp_path: Path) -> None:
    """Without the repository, and without other environment than that of an operator.

    The database is a copy of the tests' migrated one.
    """
    shutil.copy(Path(os.environ["DATA_DIR"]) / "studyservice.sqlite3", tmp_path)
    site = tmp_path / "site"
    shutil.unpack_archive(wheel, site, "zip")
    migrated = ended(tmp_path, "studyservice.trial", "manage", "migrate", environment=production, root=site)
    assert (migrated.returncode, migrated.stderr) == (0, "")
    program = ["gunicorn", "-c", "studyservice/gunicorn.py", "studyservice.wsgi"]
    with shipped.serving(site, program, production) as (origin, _):
        assert {path: shipped.status(origin + path) for path in PAGES} == dict.fromkeys(PAGES, 200)
        with urlopen(f"{origin}/health/live", timeout=30) as live:  # noqa: S310  # http on loopback
            assert json.load(live)["version"] == wheel.name.split("-")[1]


def test_building_needs_no_development_packages() -> None:
    """`make wheel` installs these: the locked runtime, and hatchling with its dependencies."""
    runtime, build = (
        {line.split()[0] for line in (ROOT / "requirements" / name).read_text().splitlines() if "==" in line}
        for name in ("runtime.txt", "build.txt")
    )
    assert runtime < build
    names = {line.partition("==")[0] for line in build - runtime}
    assert names == {"hatchling", "pathspec", "pluggy", "tomlkit", "trove-classifiers"}
    assert "wheel: $(VENV)/installed-build " in (ROOT / "Makefile").read_text()


def _site_packages(venv: Path) -> Path:
    [site] = venv.glob("lib/python3*/site-packages")
    return site


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """The environment of a user who configured nothing."""
    return {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PORT": str(free_port())}


@pytest.fixture
def production(tmp_path: Path) -> dict[str, str]:
    """The environment of an operator, behind one proxy that terminates TLS."""
    return package.environment(tmp_path)


@pytest.mark.thorough("`make release` opens the pages of the installed package")
def test_one_command_serves_a_trial(installed: Path, environment: dict[str, str], tmp_path: Path) -> None:
    with package.serving([str(installed / "bin" / "study-data-service")], environment) as base:
        with urlopen(f"{base}/", timeout=30) as page:  # noqa: S310  # http on loopback
            [style] = re.findall(r'href="(/static/[^"]+\.css)"', page.read().decode())[:1]
        with urlopen(f"{base}/docs/quickstart", timeout=30) as guide:  # noqa: S310  # the same
            assert f"export STUDY_URL={base}" in guide.read().decode()
        with urlopen(f"{base}{style}", timeout=30) as sheet:  # noqa: S310  # the same
            assert sheet.headers["Content-Type"].startswith("text/css")
    assert "study-data-service manage createmember" in (tmp_path / "printed").read_text()
    data = tmp_path / ".local/share/study-data-service"
    assert [path.stat().st_mode & 0o077 for path in (data, data / "studyservice.sqlite3")] == [0, 0]
    assert not list(installed.rglob("*.sqlite3"))


@pytest.mark.thorough("`make release` opens the pages of the installed package")
def test_it_serves_every_page_in_production(
    installed: Path, wheel: Path, production: dict[str, str], tmp_path: Path
) -> None:
    """Without writing beside its code, where it may lack permission."""
    command, before = installed / "bin" / "study-data-service", _files(installed)
    package.require_deployable(command, production)
    assert package.require_pages(command, production, wheel.name.split("-")[1]) > len(package.PAGES)
    assert _files(installed) == before
    assert not (tmp_path / "staticfiles").exists()


def manage(command: str, *arguments: str, environment: dict[str, str]) -> str:
    """The output of an operators' command."""
    run = [command, "manage", *arguments]
    done = subprocess.run(run, cwd=environment["HOME"], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def _files(directory: Path) -> set[str]:
    return {str(path) for path in directory.rglob("*") if "__pycache__" not in path.parts}


@pytest.mark.thorough("the trial runs from the same package")
def test_the_operators_commands_exist(installed: Path, production: dict[str, str]) -> None:
    command = str(installed / "bin" / "study-data-service")
    manage(command, "migrate", "--verbosity", "0", environment=production)
    printed = manage(command, "makemigrations", "--check", "--dry-run", environment=production)
    assert printed == "No changes detected\n"
