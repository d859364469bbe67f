"""Missing static files: the service reports them before a page fails."""

from pathlib import Path
from typing import Any

import pytest
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.checks import run_checks
from django.core.management import call_command
from django.test import Client

pytestmark = pytest.mark.database("sqlite", "files")


def warned() -> bool:
    return "studyservice.W003" in [message.id for message in run_checks(include_deployment_checks=True)]


def readiness() -> tuple[int, str]:
    response = Client().get("/health/ready")
    return response.status_code, response.json()["checks"]["static_files"]


@pytest.mark.django_db
def test_collected_files_cause_no_warning() -> None:
    assert (warned(), readiness()) == (False, (200, "ok"))


@pytest.mark.django_db
def test_missing_files_are_reported(settings: Any, tmp_path: Path) -> None:
    settings.STATIC_ROOT = str(tmp_path / "nothing")
    assert (warned(), readiness()) == (True, (503, "down"))


@pytest.mark.django_db
@pytest.mark.parametrize("lost", ["studyservice/pages.css", "admin/css/base.css"])
def test_a_single_missing_file_is_reported(settings: Any, tmp_path: Path, lost: str) -> None:
    settings.STORAGES |= {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.ManifestStaticFilesStorage"}}
    settings.STATIC_ROOT = str(tmp_path)
    call_command("collectstatic", interactive=False, verbosity=0)
    assert (warned(), readiness()) == (False, (200, "ok"))
    (tmp_path / staticfiles_storage.url(lost).removeprefix(settings.STATIC_URL)).unlink()
    assert (warned(), readiness()) == (True, (503, "down"))


@pytest.mark.django_db
def test_a_file_added_by_an_upgrade_is_reported(settings: Any, tmp_path: Path) -> None:
    """Its page would use the manifest of the version before."""
    added = tmp_path / "added"
    added.mkdir()
    (added / "new.css").write_text("p { color: red }")
    settings.STATICFILES_DIRS = [added]
    assert (warned(), readiness()) == (True, (503, "down"))
