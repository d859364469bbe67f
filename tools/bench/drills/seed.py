"""The members of a drill, on either kind of database."""

from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.core.files.base import ContentFile
from django.utils import timezone

from accounts.models import Member
from courses.models import Course
from tools.bench.cast import SYLLABUS, Cast, Subject
from tools.bench.seed_shared import add_decks, add_keys, connect, copy, copy_members, new_id, syllabus_file

CROWD_KEYS = 20
"""Number of keys of one more member, each with its own rate limit."""

FILES = 10


def fill(members: int) -> Cast:
    """Add members with a course, a deck, a key and a refresh token; ten with a syllabus, and one with many keys."""
    now = timezone.now()
    courses = {new_id(): new_id() for _ in range(members + 1)}
    *people, crowd = courses
    copy_members(
        Member(id=member, email=f"member{number}@example.org", password=UNUSABLE_PASSWORD_PREFIX)
        for number, member in enumerate(courses)
    )
    copy(Course, [Course(id=course, member_id=member, name="Cell Biology") for member, course in courses.items()])
    for member in people[:FILES]:
        file = syllabus_file(member, courses[member], "syllabus.txt")
        file.file.save(file.filename, ContentFile(SYLLABUS))
    cards = add_decks({member: [courses[member]] for member in people}, now, [{}])
    tokens = connect(people, 1, now)
    keys = zip(people, add_keys(people, None), strict=True)
    return Cast(
        [Subject(key, [str(courses[one])] * 2, list(map(str, cards[one])), tokens[one]) for one, key in keys],
        [Subject(key, [str(courses[crowd])]) for key in add_keys([crowd] * CROWD_KEYS, None)],
    )
