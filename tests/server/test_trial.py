"""`make run`: one member with data around today, and a summary of addresses and commands."""

import shlex
from pathlib import Path
from typing import Any

import pytest

from accounts.models import Member
from studyservice.trial.demo import DEMO_EMAIL
from studyservice.trial.prepare import PRINTING
from studyservice.trial.prepare import prepare as trial
from studyservice.trial.secret_key import write_trial_secret
from tests.support.entry_points import RestEntryPoint

pytestmark = [pytest.mark.database("sqlite", "a trial uses SQLite"), pytest.mark.django_db]


@pytest.fixture(autouse=True)
def _static_files(settings: Any, tmp_path: Path) -> None:
    """Static files in another directory without hashes and compression, which take seconds."""
    settings.STATIC_ROOT = str(tmp_path)
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": plain}


def test_a_trial_creates_one_member_with_data_around_today(settings: Any, capsys: pytest.CaptureFixture[str]) -> None:
    trial()
    printed = capsys.readouterr().out
    [curl] = [line for line in printed.splitlines() if "curl" in line]
    entry_point = RestEntryPoint(curl.split("Bearer ")[1].split("'")[0])
    assert curl.strip() == f"curl -H 'Authorization: Bearer {entry_point.secret}' {settings.BASE_URL}/v1/agenda"
    agenda = entry_point.made("get_agenda")
    assert agenda["items"]
    assert agenda["milestones"]
    [line] = [line for line in printed.splitlines() if line.strip().startswith("password")]
    assert Member.objects.get().check_password(line.split()[-1])
    settings.EMAIL_BACKEND = PRINTING
    trial()
    again = capsys.readouterr().out
    for path in ("/", "/keys", "/mcp", "/docs", "/admin"):
        assert f"{settings.BASE_URL}{path}" in again
        assert f"{settings.BASE_URL}{path}" in printed
    manage = f"DATA_DIR={settings.DATA_DIR} BASE_URL={settings.BASE_URL} .venv/bin/python manage.py"
    assert f"{manage} createmember you@example.org --staff" in again
    assert f"{manage} createapikey {DEMO_EMAIL} again" in again
    assert "or ask for a code" not in printed
    assert "printed here instead of sent, with the codes" in again
    assert "Careful" not in again
    assert Member.objects.count() == 1


def test_the_command_of_a_trial_is_quoted(settings: Any, capsys: pytest.CaptureFixture[str]) -> None:
    settings.DATA_DIR = "/tmp/Ada's data"  # noqa: S108
    trial()
    [line] = [line for line in capsys.readouterr().out.splitlines() if "createmember" in line]
    assert shlex.split(line)[0] == f"DATA_DIR={settings.DATA_DIR}"


@pytest.mark.thorough("another trial with the same data")
def test_a_trial_on_a_network_names_its_risks(settings: Any, capsys: pytest.CaptureFixture[str]) -> None:
    settings.HOST = "0.0.0.0"  # noqa: S104
    trial()
    printed = capsys.readouterr().out
    assert "http lets others on the network read everything, including passwords and keys" in printed
    assert f"BASE_URL, which is {settings.BASE_URL}" in printed
    settings.BASE_URL = "http://192.168.1.20:8000"
    trial()
    printed = capsys.readouterr().out
    assert "Careful" in printed
    assert "address that BASE_URL names" not in printed


def test_a_new_directory_is_private_and_an_existing_one_keeps_its_mode(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SECRET_KEY", raising=False)
    new, existing = tmp_path / "new", tmp_path / "existing"
    existing.mkdir(mode=0o755)
    for directory, mode in ((new, 0o700), (existing, 0o755)):
        write_trial_secret(directory)
        assert directory.stat().st_mode & 0o777 == mode
        assert (directory / "trial-secret-key").stat().st_mode & 0o777 == 0o600
