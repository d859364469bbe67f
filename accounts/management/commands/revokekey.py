"""Revoke an API key, for example one that leaked."""

import sys
from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.credentials.keys import revoke_api_key
from accounts.credentials.models import ApiKey
from accounts.credentials.owners import row_of
from studyservice.changes.calls import acting, command
from studyservice.management.operators import JsonCommand
from studyservice.operations.fields import parse_uuid


class Command(JsonCommand):
    """`revokekey KEY`."""

    help = "Revoke an API key. It stops working with its next request, and revoking it again changes nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "key",
            help="the whole key or its id; - reads it from standard input, so that other users of the machine and the "
            "shell's history do not have it",
        )

    @acting(command("revokekey"))
    def handle(self, *args: object, **options: Any) -> None:
        """Revoke the key. No message repeats it."""
        text = (sys.stdin.read() if options["key"] == "-" else options["key"]).strip()
        keys = ApiKey.objects.select_related("member")
        if identifier := parse_uuid(text):
            key = keys.filter(id=identifier).first()
        else:  # a part of a secret has another hash
            key = row_of(keys, text) if text.isascii() else None
        if key is None:
            raise CommandError(
                "There is no API key with this text or id. Give the whole key, or the id from its page in the admin. "
                "Keys are known for 90 days after their end."
            )
        revoke_api_key(key)
        self.answer(
            options,
            {"id": key.id, "email": key.member.email, "name": key.name},
            text=f"The API key {key.name} of {key.member.email} is revoked. It no longer works.",
        )
