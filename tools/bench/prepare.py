"""`python -m tools.bench.prepare tools.bench.seed.fill MEMBERS CAST_FILE`: migrate and fill DATABASE_URL."""

import os
import sys
from pathlib import Path

import django
from django.core.management import call_command
from django.utils.module_loading import import_string

from tools.bench.cast import save

if __name__ == "__main__":
    _, fill, members, cast = sys.argv
    os.environ["DJANGO_SETTINGS_MODULE"] = "studyservice.settings"
    django.setup()
    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)  # pages refer to their styles by hashed names
    save(Path(cast), import_string(fill)(int(members)))  # after the setup, because its module imports models
