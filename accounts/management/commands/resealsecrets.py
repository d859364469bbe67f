"""Re-encrypt stored secrets under the current SECRET_KEY."""

from typing import Any

from django.core.management.base import CommandParser

from accounts.management.arguments import add_json_option, answer
from accounts.members.models import Member
from studyservice.management.operators import OperatorCommand
from studyservice.secrets.sealing import RESEALS


class Command(OperatorCommand):
    """`resealsecrets`: run it after changing SECRET_KEY, before emptying SECRET_KEY_FALLBACKS."""

    help = "Re-encrypt authenticator secrets and school calendar URLs under the current SECRET_KEY; safe to repeat."

    def add_arguments(self, parser: CommandParser) -> None:
        add_json_option(parser)

    def handle(self, *args: object, **options: Any) -> None:
        """Process members one by one. Each row is updated separately."""
        members = Member.objects.order_by().values_list("id", flat=True).iterator(chunk_size=1000)
        sealed = sum(reseal(member_id) for member_id in members for reseal in RESEALS)
        answer(self, {"sealed": sealed}, as_json=options["json"], text=f"Re-encrypted {sealed} under the current key.")
