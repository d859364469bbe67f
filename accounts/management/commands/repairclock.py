"""Repair the clocks of members."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.changes.calls import acting, command
from accounts.changes.clocks import Repaired, members_ahead, repair_clock
from accounts.management.arguments import Told, add_json_option, answer, member_named, text
from studyservice.management.operators import OperatorCommand


class Command(OperatorCommand):
    """`repairclock EMAIL|--all`."""

    help = "Reset members' clocks that a server with a fast clock moved ahead, and the timestamps they made."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", type=text, nargs="?")
        parser.add_argument("--all", action="store_true", help="every member whose clock is ahead")
        add_json_option(parser)

    def handle(self, *args: object, **options: Any) -> None:
        """Repair members one by one, each in a transaction."""
        if (options["email"] is None) != options["all"]:
            raise CommandError("Name a member, or --all.")
        if options["all"]:
            ids = list(members_ahead().values_list("id", flat=True))
        else:
            ids = [member_named(options["email"]).id]
        with acting(command("repairclock")):
            repaired = [done for member_id in ids if (done := repair_clock(member_id)) is not None]
        answer(
            self,
            {"members": [_as_json(done) for done in repaired]},
            as_json=options["json"],
            text="\n".join(map(_line, repaired)) or "No clock was ahead.",
        )


def _as_json(done: Repaired) -> dict[str, Told]:
    return {"email": done.email, "ahead_seconds": round(done.ahead.total_seconds(), 3), "stamps": done.stamps}


def _line(done: Repaired) -> str:
    return f"{done.email}: was {done.ahead.total_seconds():.0f} s ahead; {done.stamps} stamps moved back."
