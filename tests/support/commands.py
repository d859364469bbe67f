"""Management commands, run in this process."""

import io
import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command


def run(*arguments: str) -> str:
    """Run a command and return its standard output."""
    stdout, stderr = io.StringIO(), io.StringIO()
    call_command(*arguments, stdout=stdout, stderr=stderr)
    assert stderr.getvalue() == ""
    return stdout.getvalue()


def run_json(*arguments: str) -> Any:
    """The one JSON object that a command prints with `--json`."""
    return json.loads(run(*arguments, "--json"))


def refusal(*arguments: str) -> str:
    """The one-line error message of a command that refuses."""
    with pytest.raises(CommandError) as refused:
        run(*arguments)
    [line] = str(refused.value).splitlines()
    return line
