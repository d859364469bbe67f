"""`runschedule` and the backup script, which the composition runs beside the server."""

import signal
import subprocess
import sys
import threading
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from accounts.members.membership import renew
from tests import ROOT
from tests.conftest import MakeMember
from tests.support.server import running


@pytest.mark.database("sqlite", "runs in a separate process")
def test_it_runs_each_command_and_ends_on_request(tmp_path: Path) -> None:
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
            lines = [process.stdout.readline() for _ in range(5)]
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=30) == 0
        finally:
            watchdog.cancel()
            if process.stdout is not None:
                process.stdout.close()
            process.kill()
            process.wait()
    assert lines == [
        "Sent 0, 0 remaining.\n",
        "Nothing was due.\n",
        "No morning e-mail was due.\n",
        "Reminded 0 members.\n",
        "Nothing has expired.\n",
    ]


@pytest.mark.django_db
@pytest.mark.database("sqlite", "independent of the database")
def test_a_failing_command_is_logged_and_the_next_runs(
    make_member: MakeMember, settings: Any, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    from accounts.management.commands.runschedule import Command

    member = make_member("ann@example.org")
    renew(member, member.today() + timedelta(days=3))
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9
    command = Command()
    command._run("remind")
    assert "remind: Not sent to 1, listed above; delivermail will retry." in caplog.messages
    command._run("purgeexpired")
    assert "Nothing has expired." in capsys.readouterr().out
