"""Create an API key."""

from collections.abc import Sequence
from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.credentials.keys import create_api_key
from accounts.credentials.limiting import COURSE_NAMES
from accounts.management.arguments import (
    add_key_options,
    course_id,
    member_named,
    text,
    told_refusals,
)
from accounts.members.models import Member
from studyservice.changes.calls import acting, command
from studyservice.management.operators import JsonCommand
from studyservice.rows.limits import Limits


class Command(JsonCommand):
    """`createapikey EMAIL NAME`."""

    help = "Create an API key for a member and print it, once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", type=text)
        parser.add_argument("name", type=text)
        add_key_options(parser)
        parser.add_argument(
            "--course",
            action="append",
            type=course_id,
            metavar="ID",
            help="let it see only this course; repeatable; default: all",
        )
        parser.add_argument("--no-grades", action="store_true", help="hide grades from it")

    @told_refusals()
    @acting(command("createapikey"))
    def handle(self, *args: object, **options: Any) -> None:
        member = member_named(options["email"])
        courses = None if options["course"] is None else tuple(dict.fromkeys(options["course"]))
        _require_courses(member, courses or ())
        limits = Limits(courses, grades=not options["no_grades"])
        secret, key = create_api_key(
            member,
            options["name"],
            may_write=options["scopes"],
            expires_days=options["expires_days"],
            limits=limits,
        )
        self.answer(
            options,
            {"id": key.id, "api_key": secret},
            text=f"API key, shown only now: {secret}\n"
            f"It may {'read and write' if options['scopes'] else 'only read'}{limits.in_short()}.",
        )


def _require_courses(member: Member, wanted: Sequence[str]) -> None:
    """Raise CommandError unless all courses are the member's."""
    there = {str(course["id"]) for course in COURSE_NAMES.get()(member.id)} if wanted else set()
    for one in wanted:
        if one not in there:
            raise CommandError(f"{member.email} has no course {one}. No key was created.")
