"""Create a member."""

import sys
import warnings
from argparse import ArgumentParser, ArgumentTypeError
from getpass import GetPassWarning, getpass
from typing import Any

from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import CommandError, CommandParser
from django.db import transaction
from django.urls import reverse

from accounts.credentials.keys import create_api_key
from accounts.management.arguments import add_key_options, text, told_refusals
from accounts.members import waiting
from accounts.members.models import Member
from studyservice.changes.calls import acting, command
from studyservice.management.operators import JsonCommand


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


class Command(JsonCommand):
    """`createmember EMAIL`, with an API key if one is named."""

    help = "Create a member, and an API key for the member if --api-key names one."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", type=text)
        parser.add_argument("--name", type=text, default="")
        parser.add_argument("--time-zone", default="UTC", help="IANA name, default UTC")
        add_password_options(parser)
        parser.add_argument("--staff", action="store_true", help="give full access to the admin")
        parser.add_argument("--inactive", action="store_true", help="create with a lapsed membership")
        parser.add_argument("--api-key", type=text, metavar="NAME", help="also create an API key with this name")
        add_key_options(parser)

    @told_refusals()
    @acting(command("createmember"))
    def handle(self, *args: object, **options: Any) -> None:
        """Create both or neither."""
        secret = None
        password = password_from(
            options["password"], from_stdin=options["password_stdin"], from_prompt=options["password_prompt"]
        )
        check_password_of(Member(email=options["email"], name=options["name"]), password)
        with transaction.atomic():
            membership = waiting.take(options["email"])
            if options["inactive"]:
                membership = {"membership_active": False}
            member = Member.objects.create_user(
                options["email"],
                password,
                name=options["name"],
                time_zone=options["time_zone"],
                is_staff=options["staff"],
                is_superuser=options["staff"],
                **membership,
            )
            if options["api_key"] is not None:
                secret, _ = create_api_key(
                    member,
                    options["api_key"],
                    may_write=options["scopes"],
                    expires_days=options["expires_days"],
                )
        self.answer(
            options,
            {"id": member.id, "email": member.email, "api_key": secret},
            text="" if options["json"] else _message(member, secret),  # loading all URLs takes a second
        )


def _message(member: Member, secret: str | None) -> str:
    """Return the text about the new member and key, with the URL where the key works."""
    told = [f"Created {member.email} ({member.id})."]
    if secret:
        told.append(f"API key, shown only now: {secret}")
    how = "with the password, or a code by e-mail" if member.has_usable_password() else "with a code by e-mail"
    told.append(f"Signs in at {settings.BASE_URL}{reverse('sign-in')} {how}.")
    if member.is_staff:
        told.append(f"Admin at {settings.BASE_URL}{reverse('admin:index')}.")
    return "\n".join(told)
