#!/usr/bin/env python
"""Django's command line for the service."""

import os
import sys


def main() -> None:
    """Run one management command."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studyservice.settings")
    # After the settings module is set.
    from django.core.management import execute_from_command_line  # noqa: PLC0415

    from studyservice.server.startup import load_command_settings  # noqa: PLC0415

    load_command_settings()
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
