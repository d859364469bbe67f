"""The members of the drill `school calendars`: each course has a calendar that was read before."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from tempfile import TemporaryFile

from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.utils import timezone
from psycopg.types.json import Jsonb

from accounts.models import Member
from courses.models import Course
from planning.calendar.assigning import summaries
from planning.calendar.files import packed, read_school_calendar
from planning.models import DueCalendar, ReadingOutcome, SchoolCalendar
from planning.school_calendars.addresses import sealed
from planning.school_calendars.fetching import fingerprint_of
from studyservice.rows.access import Access
from tools.bench.cast import Cast
from tools.bench.drills.school_calendars import DUE, EACH, ETAG, body, host_of, sends_etag
from tools.bench.seed_shared import copy, copy_members, new_id


def fill(members: int) -> Cast:
    """Add the members, their courses and calendars. Only `DUE` are due; only their members' courses have items."""
    people = [
        Member(id=new_id(), email=f"member{number}@example.org", password=UNUSABLE_PASSWORD_PREFIX)
        for number in range(members)
    ]
    copy_members(people)
    reading = {number // EACH for number in DUE}
    courses = [
        Course(
            id=new_id(),
            member_id=one.id,
            name=f"Course {place}",
            meets="Mondays" if number in reading else None,
        )
        for number, one in enumerate(people)
        for place in range(EACH)
    ]
    copy(Course, courses)
    calendars = list(_calendars(people[0], courses, timezone.now()))
    copy(SchoolCalendar, calendars)
    copy(
        DueCalendar,
        (
            DueCalendar(id=one.id, member_id=one.member_id, host=one.host, next_read_at=one.next_read_at)
            for one in calendars
            if one.next_read_at
        ),
    )
    return Cast()


def _calendars(member: Member, courses: list[Course], now: datetime) -> Iterator[SchoolCalendar]:
    contents = body()
    with TemporaryFile() as file:
        file.write(contents)
        file.flush()
        reading = read_school_calendar(Access(member), file)
    stored, fingerprint, labels = (
        packed(reading),
        fingerprint_of(Access(member), contents),
        Jsonb(summaries(reading.events)),
    )
    for number, course in enumerate(courses):
        yield SchoolCalendar(
            id=new_id(),
            member_id=course.member_id,
            name=f"Calendar {number}",
            host=host_of(number),
            address_end=".ics",
            sealed_address=sealed(f"https://{host_of(number)}/{number}.ics"),
            course_id=course.id,
            accepted=True,
            answer=ReadingOutcome.TAKEN,
            reading=stored,
            fingerprint=fingerprint,
            choices=Jsonb({}),
            counts=Jsonb({}),
            labels=labels,
            etag=ETAG if sends_etag(number) else "",
            last_read_at=now - timedelta(hours=6),
            next_read_at=now - timedelta(minutes=1) if number in DUE else now + timedelta(hours=3),
        )
