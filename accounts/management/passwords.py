"""Read a new member's password from the command line, standard input or the keyboard."""

import sys
import warnings
from argparse import ArgumentParser, ArgumentTypeError
from getpass import GetPassWarning, getpass

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import CommandError

from accounts.management.arguments import text
from accounts.members.models import Member


def add_password_options(parser: ArgumentParser) -> None:
    """Add `--password`, `--password-stdin` and `--password-prompt`, which exclude each other."""
    ways = parser.add_mutually_exclusive_group()
    ways.add_argument(
        "--password",
        type=_password,
        help="visible to others on this machine meanwhile; without a password, sign-in is only by e-mailed code",
    )
    ways.add_argument(
        "--password-stdin", action="store_true", help="read the password from the first line of standard input"
    )
    ways.add_argument(
        "--password-prompt", action="store_true", help="ask for the password twice on the terminal, without echo"
    )


def password_from(given: str | None, *, from_stdin: bool, from_prompt: bool) -> str | None:
    """Return the password from the options, or None.

    Raises:
        CommandError: it is empty or not text, the second entry differs, or there is no terminal.
    """
    if from_stdin:
        return _read("--password-stdin", sys.stdin.readline().removesuffix("\n"))
    if not from_prompt:
        return given
    try:
        with warnings.catch_warnings():
            # getpass would otherwise read from standard input, with an echo
            warnings.simplefilter("error", GetPassWarning)
            typed, again = getpass("Password: "), getpass("Password again: ")
    except (GetPassWarning, EOFError):
        raise CommandError("There is no terminal for the question. Use --password-stdin.") from None
    if typed != again:
        raise CommandError("The passwords differ.")
    return _read("--password-prompt", typed)


def check_password_of(member: Member, password: str | None) -> None:
    """Validate the password by the rules of the pages.

    Raises:
        ValidationError: it is too short, too common, or too similar to the member's address or name.
    """
    if password is None:
        return
    try:
        validate_password(password, member)
    except ValidationError as error:
        raise ValidationError({"password": error.messages}) from None


def _read(option: str, argument: str) -> str:
    try:
        return _password(argument)
    except ArgumentTypeError as error:
        raise CommandError(f"{option}: {error}") from None


def _password(argument: str) -> str:
    """Parse a password, unchanged. An empty one is refused, because it would let anybody in."""
    if not argument or text(argument) != argument.strip():
        raise ArgumentTypeError("must not be empty")
    return argument
