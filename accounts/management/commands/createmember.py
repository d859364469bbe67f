"""Create a member."""

from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management.base import CommandParser
from django.db import transaction
from django.urls import reverse

from accounts.changes.calls import acting, command
from accounts.credentials.api_keys import create_api_key
from accounts.management.arguments import add_json_option, add_key_options, answer, refused, text
from accounts.management.passwords import add_password_options, check_password_of, password_from
from accounts.members.models import Member
from studyservice.management.operators import OperatorCommand


class Command(OperatorCommand):
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
        add_json_option(parser)

    @acting(command("createmember"))
    def handle(self, *args: object, **options: Any) -> None:
        """Create both or neither."""
        secret = None
        password = password_from(
            options["password"], from_stdin=options["password_stdin"], from_prompt=options["password_prompt"]
        )
        try:
            check_password_of(Member(email=options["email"], name=options["name"]), password)
            with transaction.atomic():
                member = Member.objects.create_user(
                    options["email"],
                    password,
                    name=options["name"],
                    time_zone=options["time_zone"],
                    is_staff=options["staff"],
                    is_superuser=options["staff"],
                    membership_active=not options["inactive"],
                )
                if options["api_key"] is not None:
                    secret, _ = create_api_key(
                        member,
                        options["api_key"],
                        may_write=options["scopes"],
                        expires_days=options["expires_days"],
                    )
        except ValidationError as error:
            raise refused(error) from None
        answer(
            self,
            {"id": member.id, "email": member.email, "api_key": secret},
            as_json=options["json"],
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
