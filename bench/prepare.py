"""Migrates the database of DATABASE_URL and fills it: `python -m bench.prepare bench.seed.fill MEMBERS CAST_FILE`."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import django
from django.core.management import call_command
from django.utils.module_loading import import_string

from bench.cast import Cast, load, save
from bench.gunicorn import ROOT


def prepared(fill: str, members: int, env: Mapping[str, str], cast: Path) -> Cast:
    """Who is in a database, once another process has filled it.

    Args:
        fill: dotted name of the function that does it.
        members: how many.
        env: says which database.
        cast: where to write who is in it.
    """
    command = [sys.executable, "-m", "bench.prepare", fill, str(members), str(cast)]
    subprocess.run(command, cwd=ROOT, env=env, check=True)
    return load(cast)


def main() -> None:
    """Migrate, fill, write the cast."""
    _, fill, members, cast = sys.argv
    os.environ["DJANGO_SETTINGS_MODULE"] = "studyservice.settings"
    django.setup()
    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)  # pages name their styles by its hashes
    save(Path(cast), import_string(fill)(int(members)))  # its module imports models, and needs the set-up above


if __name__ == "__main__":
    main()
