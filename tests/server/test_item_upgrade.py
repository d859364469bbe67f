"""Upgrading the oldest database with many items: in batches, without blocking anybody or missing an item."""

import threading
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import psycopg
import pytest
from django.core.management import call_command
from django.db import connection
from django.db.models import F, Q

from courses.models import Course, Item
from studyservice.database.folding import fold
from tests.server.test_migrations import migrate_back
from tests.support import databases
from tests.support.factories import CourseFactory, MemberFactory, MilestoneFactory
from tests.support.releases import oldest

ZONES = ("UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago", "Europe/Berlin")
LONGEST = 2.0
"""Maximum seconds that a write may wait."""

FILLED = """
    INSERT INTO courses_item (id, member_id, course_id, title, kind, due_on, sequence, created_at, updated_at,
                              done, graded, folded, missable_from)
    SELECT gen_random_uuid(), course.member_id, course.id, 'ESSAY ' || place, 'paper',
           CURRENT_DATE - 3 + place %% 7, 0, now(), now(), false, false, '', CURRENT_DATE
    FROM courses_course AS course, generate_series(%s::integer, %s::integer) AS place
"""
AT_ONCE = 1000


class OldCode:
    """Writes like code that does not know the new columns, until it is stopped."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self.longest, self.writes = 0.0, 0
        self.failed: Exception | None = None

    def __enter__(self) -> "OldCode":
        self._thread.start()
        return self

    def __exit__(self, *args: object) -> None:
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        try:
            with psycopg.connect(self._url, autocommit=True) as database:
                ids = [row[0] for row in database.execute("SELECT id FROM courses_item ORDER BY id").fetchall()[::97]]
                while not self._stopped.is_set():
                    began = time.monotonic()
                    moved = "UPDATE courses_item SET title = title || '!' WHERE id = %s"
                    database.execute(moved, [ids[self.writes % len(ids)]])
                    self.longest = max(self.longest, time.monotonic() - began)
                    self.writes += 1
                    time.sleep(0.01)
        except psycopg.Error as error:
            self.failed = error


@pytest.fixture
def upgraded(tmp_path: Path) -> Iterator[str]:
    """The URL of a copy of the migrated database, which Django then queries."""
    with databases.copied(f"items_{tmp_path.name}", tmp_path) as url, databases.connected(url):
        yield url


@pytest.mark.database("postgresql")
@pytest.mark.parametrize(
    "items", [400, pytest.param(200_000, marks=pytest.mark.thorough("the other test has fewer items"))]
)
def test_old_items_are_filled_in_batches(upgraded: str, items: int) -> None:
    for zone in ZONES:
        CourseFactory.create(member=MemberFactory.create(time_zone=zone), name="PHYSIK Ä")
    milestone = MilestoneFactory.create(title="GLIEDERUNG Ä", folded="")
    each = items // len(ZONES)
    for first in range(1, each + 1, AT_ONCE):
        with connection.cursor() as cursor:
            cursor.execute(FILLED, [first, min(first + AT_ONCE - 1, each)])
    migrate_back(oldest)
    with OldCode(upgraded) as old:
        call_command("migrate", verbosity=0)
    assert old.failed is None, old.failed
    assert old.writes > 0
    assert old.longest < LONGEST

    now = datetime.now(UTC)
    for course in Course.objects.filter(name="PHYSIK Ä").select_related("member"):
        today = now.astimezone(ZoneInfo(course.member.time_zone)).date()
        mine = Item.objects.filter(course=course)
        assert mine.count() == each
        earliest: date = mine.earliest("missable_from").missable_from
        assert earliest >= today - timedelta(days=1)  # midnight may have passed meanwhile
        assert not mine.filter(missed(today)).exists()
        assert not mine.filter(missed(earliest)).exists()
        assert mine.filter(missed(today + timedelta(days=9))).exists()
        assert course.folded == fold("PHYSIK Ä")
        assert not mine.filter(folded="").exists()
    milestone.refresh_from_db()
    assert milestone.folded == fold("GLIEDERUNG Ä")
    assert not Item.objects.exclude(done=False, graded=False, note=None, category=None).exists()


def missed(today: date) -> Q:
    """Papers missed on a given day."""
    return Q(done=False, graded=False, due_on__lt=today, due_on__gte=F("missable_from"))
