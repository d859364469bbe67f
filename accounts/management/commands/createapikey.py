"""Create an API key."""

from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError, CommandParser

from accounts.changes.calls import acting, command
from accounts.credentials.api_keys import create_api_key
from accounts.management.arguments import (
    add_json_option,
    add_key_options,
    answer,
    member_named,
    refused,
    text,
)
from studyservice.management.operators import OperatorCommand
from studyservice.operations.errors import Conflict


class Command(OperatorCommand):
    """`createapikey EMAIL NAME`."""

    help = "Create an API key for a member and print it, once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", type=text)
        parser.add_argument("name", type=text)
        add_key_options(parser)
        add_json_option(parser)

    @acting(command("createapikey"))
    def handle(self, *args: object, **options: Any) -> None:
        try:
            secret, key = create_api_key(
                member_named(options["email"]),
                options["name"],
                may_write=options["scopes"],
                expires_days=options["expires_days"],
            )
        except ValidationError as error:
            raise refused(error) from None
        except Conflict as error:
            raise CommandError(error.message) from None
        answer(
            self,
            {"id": key.id, "api_key": secret},
            as_json=options["json"],
            text=f"API key, shown only now: {secret}",
        )
