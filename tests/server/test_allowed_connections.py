"""A warning if PostgreSQL allows fewer connections than the server's processes may open."""

import os
import subprocess
import sys
from typing import Any

import pytest
from django.core.checks import Tags, run_checks
from django.db import connection

from tests import ROOT

pytestmark = [pytest.mark.database("postgresql"), pytest.mark.django_db]


def warnings() -> list[str]:
    found = run_checks(tags=[Tags.database], databases=["default"])
    return [message.msg for message in found if message.id == "studyservice.W004"]


def allowed() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SHOW max_connections")
        most = int(cursor.fetchone()[0])
        cursor.execute("SHOW superuser_reserved_connections")
        return most - int(cursor.fetchone()[0])


def test_all_allowed_connections_may_be_used(settings: Any) -> None:
    settings.WEB_CONCURRENCY, settings.WEB_THREADS = 1, allowed() - 1
    assert warnings() == []
    settings.WEB_THREADS += 1
    assert warnings() == [
        f"The processes may open {allowed() + 1} connections to PostgreSQL, which allows {allowed()}."
    ]


def test_a_check_of_the_deployment_warns_once(settings: Any) -> None:
    """`check --deploy` and `checkinstall` name no database."""
    settings.WEB_THREADS = 1024
    for databases in (None, ["default"]):
        found = run_checks(include_deployment_checks=True, databases=databases)
        assert [message.id for message in found].count("studyservice.W004") == 1


def test_there_is_no_warning_behind_a_pooler(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.WEB_THREADS = 1024
    monkeypatch.setitem(connection.settings_dict, "DISABLE_SERVER_SIDE_CURSORS", True)
    assert warnings() == []


def test_an_unreachable_database_does_not_prevent_the_start(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.WEB_THREADS = 1024
    monkeypatch.setitem(connection.settings_dict, "NAME", "nowhere")
    assert warnings() == []


def test_the_server_warns_at_its_start() -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import studyservice.wsgi, studyservice.gunicorn as server; server.post_worker_init(None)",
        ],
        check=True,
        cwd=ROOT,
        env=os.environ | {"WEB_THREADS": "1000", "WEB_CONCURRENCY": "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert "(studyservice.W004) The processes may open 1001 connections" in done.stderr
