"""The members of a drill, on either kind of database."""

from hashlib import sha256

from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.core.files.base import ContentFile
from django.utils import timezone

from accounts.models import Member
from bench.cast import SYLLABUS, Cast, Subject
from bench.seed_credentials import add_keys, connect
from bench.seed_decks import add_decks
from bench.tables import copy, copy_members, new_id
from courses.models import Course, SyllabusFile

CROWD_KEYS = 20
"""Keys of one more member, each with a rate limit of its own."""

FILES = 10


def fill(members: int) -> Cast:
    """Members with a course, a deck, a key and a refresh token each, ten with a syllabus; and one with many keys."""
    now = timezone.now()
    courses = {new_id(): new_id() for _ in range(members + 1)}
    *people, crowd = courses
    addresses = (f"member{number}@example.org" for number in range(members + 1))
    copy_members(
        Member(id=member, email=email, password=UNUSABLE_PASSWORD_PREFIX)
        for member, email in zip(courses, addresses, strict=True)
    )
    copy(Course, [Course(id=course, member_id=member, name="Cell Biology") for member, course in courses.items()])
    for member in people[:FILES]:
        file = SyllabusFile(
            member_id=member,
            course_id=courses[member],
            filename="syllabus.txt",
            media_type="text/plain",
            size=len(SYLLABUS),
            sha256=sha256(SYLLABUS).hexdigest(),
            text_status="read",
            text=SYLLABUS.decode(),
            characters=len(SYLLABUS.decode()),
        )
        file.file.save(file.filename, ContentFile(SYLLABUS))
    cards = add_decks({member: [courses[member]] for member in people}, now, [{}])
    tokens = connect(people, 1, now)
    return Cast(
        [
            Subject(key, [str(courses[member])] * 2, list(map(str, cards[member])), tokens[member])
            for member, key in zip(people, add_keys(people, None), strict=True)
        ],
        [Subject(key, [str(courses[crowd])]) for key in add_keys([crowd] * CROWD_KEYS, None)],
    )
