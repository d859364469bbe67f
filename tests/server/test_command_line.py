"""Commands in a terminal: passwords are not on the command line, and standard output is only JSON."""

import json
import os
import pty
import subprocess
import sys
from contextlib import suppress
from io import StringIO
from typing import Any
from unittest.mock import ANY

import pytest
from django.db import connection

from accounts.models import Member
from tests import ROOT
from tests.support.commands import refusal
from tests.support.databases import url_of
from tests.support.entry_points import RestEntryPoint

EMAIL = "owner@example.org"
TOO_SHORT = "This password is too short. It must contain at least 8 characters."

pytestmark = pytest.mark.database("sqlite", "the terminal, standard input and output of a process")


def typed(*arguments: str, **options: Any) -> "subprocess.Popen[str]":
    """Run a command with the settings of this run, as an operator would."""
    return subprocess.Popen(  # our own program
        [sys.executable, ROOT / "manage.py", *arguments],
        env=os.environ | {"DATABASE_URL": url_of(connection.settings_dict["NAME"])},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def ended(command: "subprocess.Popen[str]", given: str | None = None) -> tuple[int, str, str]:
    """Its status, output and errors, with `given` as its input."""
    stdout, stderr = command.communicate(given, timeout=60)
    return command.returncode, stdout, stderr


@pytest.mark.django_db(transaction=True)
class TestPasswordOffTheCommandLine:
    """Every user of the machine can read the arguments in the list of processes."""

    def test_it_is_read_from_standard_input(self) -> None:
        command = typed("createmember", EMAIL, "--password-stdin", "--json", stdin=subprocess.PIPE)
        status, _, errors = ended(command, "correct horse \nnot this\n")
        assert (status, errors) == (0, "")
        assert Member.objects.get().check_password("correct horse ")

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ("", "--password-stdin: must not be empty"),
            ("a\n", f"password: {TOO_SHORT} This password is too common."),
        ],
    )
    def test_an_invalid_password_creates_nothing(
        self, given: str, message: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sys, "stdin", StringIO(given))
        assert refusal("createmember", EMAIL, "--password-stdin") == message
        assert not Member.objects.exists()

    def test_it_is_asked_for_twice_and_not_shown(self) -> None:
        keyboard, terminal = pty.openpty()
        command = typed("createmember", EMAIL, "--password-prompt", "--json", stdin=terminal, start_new_session=True)
        os.close(terminal)
        assert command.stderr is not None
        for prompt in ("Password: ", "\nPassword again: "):
            assert command.stderr.read(len(prompt)) == prompt
            os.write(keyboard, b"correct horse\n")
        assert ended(command) == (0, ANY, "\n")
        shown = b""
        with suppress(OSError):  # the other end of the terminal is closed
            shown = os.read(keyboard, 1024)
        os.close(keyboard)
        assert b"correct" not in shown
        assert Member.objects.get().check_password("correct horse")

    def test_two_different_passwords_create_nothing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        answers = {"Password: ": "correct horse", "Password again: ": "correct house"}
        monkeypatch.setattr("accounts.management.commands.createmember.getpass", answers.pop)
        assert refusal("createmember", EMAIL, "--password-prompt") == "The passwords differ."
        assert (answers, Member.objects.exists()) == ({}, False)

    def test_without_a_terminal_nobody_is_asked(self) -> None:
        command = typed("createmember", EMAIL, "--password-prompt", stdin=subprocess.PIPE, start_new_session=True)
        refused = "CommandError: There is no terminal for the question. Use --password-stdin.\n"
        assert ended(command, "correct horse\n") == (1, "", refused)
        assert not Member.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_the_command_line_prints_only_json() -> None:
    status, printed, errors = ended(typed("createmember", EMAIL, "--api-key", "Key", "--json"))
    assert (status, errors) == (0, "")
    assert printed.count("\n") == 1
    assert RestEntryPoint(json.loads(printed)["api_key"]).made("get_me")["email"] == EMAIL
