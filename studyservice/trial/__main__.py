"""`python -m studyservice.trial`, installed as `study-data-service`: the trial, the server, the commands."""

import argparse
import os
import sys
from pathlib import Path

import studyservice

_CONFIGURATION = Path(__file__).resolve().parent.parent / "gunicorn.py"


def main() -> None:
    """Run the part named on the command line, by default the trial."""
    parser = argparse.ArgumentParser(
        prog="study-data-service",
        description="A student's own study data, for the student and the apps and assistants the student connects. "
        "Without a command: set up DATA_DIR and serve a trial with a demo member.",
    )
    parser.add_argument("--version", action="version", version=studyservice.__version__)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    commands.add_parser("serve", help="serve in production, with what the environment says")
    manage = commands.add_parser("manage", help="a command of operators, such as `manage createmember`", add_help=False)
    manage.add_argument("arguments", nargs=argparse.REMAINDER)
    chosen = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studyservice.settings")
    if chosen.command == "manage":
        _manage(chosen.arguments)
    else:
        if chosen.command is None:
            _set_up()
        sys.stdout.flush()
        server = [sys.executable, "-m", "gunicorn", "-c", str(_CONFIGURATION), "studyservice.wsgi"]
        os.execv(sys.executable, server)  # noqa: S606  # so that signals reach the server


def _manage(arguments: list[str]) -> None:
    from django.core.management import execute_from_command_line

    from studyservice.server.startup import load_command_settings

    load_command_settings()
    execute_from_command_line(["study-data-service manage", *arguments])


def _set_up() -> None:
    import django

    from studyservice.environment import data_dir
    from studyservice.server.startup import load_settings
    from studyservice.trial.alone import alone
    from studyservice.trial.secret_key import write_trial_secret

    os.umask(0o077)  # the database and the other files are private
    write_trial_secret(data_dir())
    load_settings()
    django.setup()

    from studyservice.trial.prepare import prepare

    with alone(data_dir() / "trial.lock"):
        prepare()


if __name__ == "__main__":
    main()
