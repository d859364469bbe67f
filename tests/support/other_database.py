"""Imports an archive on the other kind of database, in another process, and answers every read operation.

Usage: `python -m tests.support.other_database KIND ARCHIVE`, in an environment made by `tests.support.run`.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

from tests.support import run
from tests.support.forked import ended

OTHER = {"sqlite": "postgresql", "postgresql": "sqlite"}


def answers_there(kind: str, archive: Path) -> Any:
    """Return the answer of every read operation on the other database after importing the archive."""
    inherited = {name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", run.DIRECTORY}}
    done = ended(archive.parent, __name__, kind, str(archive), environment=inherited)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def main() -> None:
    """Print the answers as JSON."""
    _, kind, archive = sys.argv
    prepared = run.prepare(kind)
    os.environ["LOG_FORMAT"] = "text"
    try:
        import django

        django.setup()
        run.hash_passwords_cheaply()
        prepared.migrate()
        sys.stdout.write(json.dumps(_answers(archive)))
    finally:
        from django.db import connections

        connections.close_all()
        prepared.end()


def _answers(archive: str) -> dict[str, Any]:
    from io import StringIO

    from django.core.management import call_command
    from django.test.utils import setup_test_environment

    from accounts.models import Member
    from studyservice.registry.counts import recount
    from tests.support.entry_points import RestEntryPoint
    from tests.support.everything import answers

    setup_test_environment()
    printed = StringIO()
    call_command("createmember", "new@example.org", "--api-key", "test", "--json", stdout=printed)
    call_command("importmember", "new@example.org", archive, stdout=StringIO())
    assert not any(map(recount, Member.objects.values_list("id", flat=True)))
    return answers(RestEntryPoint(json.loads(printed.getvalue())["api_key"]))


if __name__ == "__main__":
    main()
