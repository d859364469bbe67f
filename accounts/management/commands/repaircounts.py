"""Recompute drifted counters of members' rows."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.management.arguments import add_json_option, answer, member_named, text
from accounts.members.counts import repair_counts
from accounts.members.models import Member
from studyservice.management.operators import OperatorCommand


class Command(OperatorCommand):
    """`repaircounts EMAIL|--all`."""

    help = "Recompute stored counts of items and cards, and sums of practice, where they are wrong."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", type=text, nargs="?")
        parser.add_argument("--all", action="store_true", help="every member")
        parser.add_argument("--dry-run", action="store_true", help="compare alone")
        add_json_option(parser)

    def handle(self, *args: object, **options: Any) -> None:
        """Repair members one by one, each in a transaction."""
        if (options["email"] is None) != options["all"]:
            raise CommandError("Name a member, or --all.")
        members = Member.objects.order_by("email")
        chosen = members if options["all"] else members.filter(id=member_named(options["email"]).id)
        wrong: dict[str, int] = {}
        for member_id, email in list(chosen.values_list("id", "email")):
            if found := repair_counts(member_id, dry_run=options["dry_run"]):
                wrong[email] = found
        done = "would be corrected" if options["dry_run"] else "corrected"
        answer(
            self,
            {"members": [{"email": email, "wrong": found} for email, found in wrong.items()]},
            as_json=options["json"],
            text="\n".join(f"{email}: {found} {done}." for email, found in wrong.items()) or "Every count was right.",
        )
