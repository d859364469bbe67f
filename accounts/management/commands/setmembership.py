"""Renew or end a membership."""

from argparse import ArgumentTypeError
from datetime import date
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.management.arguments import add_json_option, answer, member_named, text
from accounts.membership import lapse, renew


def calendar_date(argument: str) -> date:
    """A date written YYYY-MM-DD."""
    try:
        day = date.fromisoformat(argument)
    except ValueError:
        day = None
    if day is None or day.isoformat() != argument:  # Python reads other ISO 8601 forms too
        raise ArgumentTypeError(f"a date written YYYY-MM-DD, not {argument!r}")
    return day


class Command(BaseCommand):
    """`setmembership EMAIL active|inactive`."""

    help = "Make a membership active (open-ended, or until a last day) or inactive."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", type=text)
        parser.add_argument("state", choices=["active", "inactive"])
        parser.add_argument("--until", type=calendar_date, help="last day included, in the member's time zone")
        add_json_option(parser)

    def handle(self, *args: object, **options: Any) -> None:
        if options["state"] == "inactive" and options["until"]:
            raise CommandError("--until goes with active.")
        member = member_named(options["email"])
        if options["state"] == "active":
            renew(member, options["until"])
        else:
            lapse(member)
        active = member.membership_is_active()
        answer(
            self,
            {"email": member.email, "active": active, "until": member.membership_until},
            as_json=options["json"],
            text=f"The membership of {member.email} is {'active' if active else 'inactive'}"
            + (f", last day {member.membership_until}." if member.membership_until else "."),
        )
