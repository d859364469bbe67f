"""Migrates the database of DATABASE_URL and fills it: `python -m bench.prepare --members 1000 --cast FILE`."""

import argparse
import os
from importlib import import_module
from pathlib import Path

import django
from django.core.management import call_command

from bench.cast import save


def main() -> None:
    """Migrate, fill, write the cast."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--members", type=int, required=True)
    parser.add_argument("--items-only", action="store_true")
    parser.add_argument("--cast", type=Path, required=True)
    options = parser.parse_args()
    os.environ["DJANGO_SETTINGS_MODULE"] = "studyservice.settings"
    django.setup()
    call_command("migrate", verbosity=0)
    seed = import_module("bench.seed")  # imports models, which needs the set-up above
    save(options.cast, seed.fill(options.members, items_only=options.items_only))


if __name__ == "__main__":
    main()
