"""The bundled Python client: it is current, it is served, and its guide runs unchanged."""

import re
import subprocess
import sys
from datetime import date, timedelta
from pathlib import Path
from textwrap import dedent
from typing import Any
from urllib.request import urlopen
from zipfile import ZipFile

import pytest
from django.test import Client

from tests import ROOT
from tests.support import packages
from tests.support.entry_points import RestEntryPoint
from tools.clients.packages import CARRIED, MODULE, build_wheel

pytestmark = [pytest.mark.database("sqlite", "client libraries"), pytest.mark.rest]

GUIDE = ROOT / "docs" / "clients.md"
REFRESH = "Run `make openapi` and commit the wheel."


def contents(wheel: Path) -> dict[str, bytes]:
    """The files of a wheel, without those that name its build tools."""
    with ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist() if Path(name).name not in {"WHEEL", "RECORD"}}


def carried() -> Path:
    """The only wheel bundled with the service."""
    [wheel] = CARRIED.glob("*.whl")
    return wheel


def test_the_bundled_wheel_is_current(pytestconfig: pytest.Config, tmp_path: Path) -> None:
    project = packages.python_site() / "project"
    if pytestconfig.getoption("--refresh-baselines"):
        for old in CARRIED.glob("*.whl"):
            old.unlink()
        build_wheel(project, CARRIED)
    fresh = build_wheel(project, tmp_path)
    assert (carried().name, contents(carried()) == contents(fresh)) == (fresh.name, True), REFRESH


def scripts() -> list[str]:
    """The Python blocks of the guide's section about Python."""
    section = GUIDE.read_text(encoding="utf-8").split("## TypeScript")[0]
    blocks = [dedent(block) for block in re.findall(r"(?:^    .*\n|^\n(?=    ))+", section, re.MULTILINE)]
    return [block for block in blocks if "study" in block and not block.strip().startswith(("pip", "export"))]


@pytest.mark.django_db(transaction=True)
def test_five_lines_lead_from_a_key_to_the_agenda(
    live_server: Any, owner: RestEntryPoint, course: Any, tmp_path: Path
) -> None:
    """Download the wheel from the address in the guide, then run the guide's scripts."""
    page = Client().get("/docs/clients").content.decode()
    [path] = re.findall(r"pip install http://127\.0\.0\.1:8000(/\S+\.whl)", page)
    wheel = tmp_path / Path(path).name
    wheel.write_bytes(urlopen(live_server.url + path, timeout=30).read())  # noqa: S310  # http on loopback
    install = ("--quiet", "--offline", "--no-deps", "--python", sys.executable, "--target", str(tmp_path / "site"))
    subprocess.run([sys.executable, "-m", "uv", "pip", "install", *install, str(wheel)], check=True)
    today = date.fromisoformat(owner.made("get_me")["today"])
    for days in (1, 20):
        due = today + timedelta(days=days)
        owner.made("create_item", course_id=course["id"], title=f"In {days}", due_on=due.isoformat())
    agenda, calls = scripts()
    assert len([line for line in agenda.splitlines() if line]) <= 5
    assert agenda.strip() == packages.script("python").strip()
    environment = {"PYTHONPATH": str(tmp_path / "site"), "STUDY_URL": live_server.url, "STUDY_API_KEY": owner.secret}
    script = [sys.executable, "-c", agenda + calls]
    done = subprocess.run(script, env=environment, capture_output=True, text=True, check=False)
    assert (done.stderr, done.stdout) == ("", f"{today + timedelta(days=1)} In 1\n")
    assert [found["name"] for found in owner.made("list_courses")["data"]] == [course["name"], "Cell Biology"]
    [exam] = owner.made("list_items", kind="exam")["data"]
    assert exam["due_on"] == "2030-12-05"


def test_the_wheel_requires_only_attrs_and_httpx() -> None:
    with ZipFile(carried()) as archive:
        [metadata] = [archive.read(name).decode() for name in archive.namelist() if name.endswith("METADATA")]
        assert all(name.startswith(MODULE) for name in archive.namelist())
    assert re.findall(r"^Requires-Dist: (\w+)", metadata, re.MULTILINE) == ["attrs", "httpx", "httpx"]
