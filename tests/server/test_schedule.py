"""`runschedule` and the script for backups: what the composition runs beside the server."""

import os
import signal
import subprocess
import sys
import threading
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from accounts.members.membership import renew
from tests import ROOT
from tests.conftest import MakeMember
from tests.support import postgres
from tests.support.server import running

SCRIPT = ROOT / "deploy" / "backup.sh"


@pytest.mark.database("sqlite", "a process of its own")
def test_it_runs_each_command_and_ends_when_told(tmp_path: Path) -> None:
    with running(tmp_path) as server:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "runschedule"],
            cwd=ROOT,
            env=server.environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        watchdog = threading.Timer(60, process.kill)
        watchdog.start()
        try:
            assert process.stdout is not None
            lines = [process.stdout.readline() for _ in range(3)]
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=30) == 0
        finally:
            watchdog.cancel()
            if process.stdout is not None:
                process.stdout.close()
            process.kill()
            process.wait()
    assert lines[:2] == ["Sent 0, 0 are left.\n", "Reminded 0 members.\n"]
    assert lines[2] == "Nothing has expired.\n"


@pytest.mark.django_db
@pytest.mark.database("sqlite", "does not touch what differs")
def test_a_command_that_fails_is_logged_and_the_next_runs(
    make_member: MakeMember, settings: Any, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    from accounts.management.commands.runschedule import Command

    member = make_member("ann@example.org")
    renew(member, member.today() + timedelta(days=3))
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9
    command = Command()
    command._run("remind")
    assert "remind: Not sent to 1, named above; delivermail tries again." in caplog.messages
    command._run("purgeexpired")
    assert "Nothing has expired." in capsys.readouterr().out


@pytest.mark.database("postgresql")
@pytest.mark.django_db(transaction=True)
def test_a_backup_is_made_kept_and_restored(make_member: MakeMember, tmp_path: Path, settings: Any) -> None:
    """By the `pg_dump` that belongs to the server of the tests."""
    make_member("ann@example.org")
    programs = postgres.programs()
    given = connection.get_connection_params()
    url = f"host={given['host']} user={given['user']} dbname={given['dbname']}"
    data, backups = tmp_path / "data", tmp_path / "backups"
    (data / "files" / "syllabi").mkdir(parents=True)
    (data / "files" / "syllabi" / "one").write_text("Week 1")
    (backups / "2020-01-01T00-00-00Z").mkdir(parents=True)
    (backups / "2020-01-02T00-00-00Z").mkdir()
    environment = {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "DATABASE_URL": url}
    environment |= {"DATA_DIR": str(data), "BACKUPS": str(backups), "BACKUPS_KEPT": "2"}
    subprocess.run(["/bin/sh", str(SCRIPT)], env=environment, check=True, timeout=60)
    older, made = sorted(path.name for path in backups.iterdir())
    assert older == "2020-01-02T00-00-00Z"
    assert (backups / made / "files" / "syllabi" / "one").read_text() == "Week 1"
    assert oct((backups / made).stat().st_mode)[-3:] == "700"
    shown = subprocess.run(
        [
            str(programs / "pg_restore"),
            "--file=-",
            "--data-only",
            "--table=accounts_member",
            str(backups / made / "studyservice.dump"),
        ],
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    assert "ann@example.org" in shown.stdout


@pytest.mark.database("postgresql")
def test_a_backup_that_fails_says_so_and_leaves_the_others(tmp_path: Path) -> None:
    backups = tmp_path / "backups"
    (backups / "2020-01-01T00-00-00Z").mkdir(parents=True)
    environment = {"PATH": os.environ["PATH"], "DATABASE_URL": "postgres://nobody@127.0.0.1:9/none"}
    environment |= {"DATA_DIR": str(tmp_path), "BACKUPS": str(backups), "BACKUPS_KEPT": "1"}
    done = subprocess.run(["/bin/sh", str(SCRIPT)], env=environment, check=False, timeout=60, capture_output=True)
    assert done.returncode != 0
    assert [path.name for path in sorted(backups.iterdir())] == [".unfinished", "2020-01-01T00-00-00Z"]
