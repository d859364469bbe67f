"""The operators' front page: health, new members, refused calls, schedules, and queues."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.joining import invite
from accounts.members import outbox
from accounts.members.last_runs import LastRun, note_run
from accounts.members.outbox import MailKind, OutgoingMail
from accounts.models import Member
from studyservice import __version__
from studyservice.server.signals import BACKUP
from tests.conftest import MakeKey, MakeMember
from tests.support.cases import each
from tests.support.factories import ApplicationFactory, DueCalendarFactory, GrantFactory, SchoolCalendarFactory
from tests.support.server import free_port

pytestmark = [pytest.mark.django_db, pytest.mark.same_statements]


def shown(client: Client) -> dict[str, list[tuple[str, str]]]:
    """Text and link of each row, by its question."""
    page = client.get("/admin/").content.decode()
    found = {}
    for section in re.findall(r'<section class="module">(.*?)</section>', page, re.DOTALL):
        [question] = re.findall(r"<h2>(.*?)</h2>", section)
        rows = re.findall(r"<li>(.*?)</li>|<p>(.*?)</p>", section, re.DOTALL)
        links = [(_plain(row or text), "".join(re.findall(r'href="([^"]+)"', row))) for row, text in rows]
        found[_plain(question)] = links
    return found


def _plain(html: str) -> str:
    return re.sub(r"<[^>]+>", "", re.sub(r" <span.*?</span>", "", html)).strip()


def test_a_new_service_answers_every_question(admin: Client, operator: Member) -> None:
    assert shown(admin) == {
        "Is it healthy?": [(f"Healthy. Version {__version__}.", "")],
        "Who joined?": [("operator@example.com", f"/admin/accounts/member/{operator.id}/change/")],
        "What was refused in the last day?": [("No call of an app or a key.", "")],
        "Which schedules ran?": [
            (f"{name}: has never run", "/docs/operating#commands")
            for name in ("delivermail", "sendmornings", "remind", "purgeexpired")
        ]
        + [("backup: none here yet", ""), ("readcalendars: nothing due yet", "")],
        "What waits?": [("Nothing.", "")],
    }


def test_a_component_that_is_down_is_named(admin: Client, settings: Any) -> None:
    settings.REDIS_URL = f"redis://127.0.0.1:{free_port()}/0"
    assert shown(admin)["Is it healthy?"] == [("Down: redis. Run checkinstall.", "/docs/bad-days")]


def test_the_newest_five_members_are_named(admin: Client, make_member: MakeMember) -> None:
    for number in range(6):
        make_member(f"m{number}@example.org", created_at=timezone.now() + timedelta(minutes=number))
    assert [text for text, _ in shown(admin)["Who joined?"]] == [f"m{number}@example.org" for number in (5, 4, 3, 2, 1)]


def test_refused_calls_of_the_last_day_are_named_with_the_reason(admin: Client, owner_member: Member) -> None:
    app = ApplicationFactory.create(name="Notes")
    for hours in (1, 25):
        refused_at = timezone.now() - timedelta(hours=hours)
        GrantFactory.create(application=app, user=owner_member, refused_at=refused_at, refusal="rate_limited")
    [(text, link)] = shown(admin)["What was refused in the last day?"]
    assert text.startswith("Notes: ")
    assert link == f"/admin/oauthserver/application/{app.pk}/change/"


@each(
    ("key", "told"),
    [
        ({"may_write": False}, "it may not change data"),
        ({"revoked_at": timezone.now()}, "the key is revoked"),
        ({"expires_at": timezone.now()}, "the key has expired"),
        ({}, "it sent invalid values"),
    ],
)
def test_refused_calls_of_keys_are_named_too(
    admin: Client, owner_member: Member, make_key: MakeKey, key: dict[str, Any], told: str
) -> None:
    secret, row = make_key(owner_member, "Script", **key)
    for _ in range(2):
        headers = {"Authorization": f"Bearer {secret}"}
        response = Client().post("/v1/courses", {"name": 7}, content_type="application/json", headers=headers)
        assert response.status_code >= 400
    [(text, link)] = shown(admin)["What was refused in the last day?"]
    assert (text, link) == (f"{row}: {told}", f"/admin/accounts/apikey/{row.pk}/change/")


def test_answered_calls_of_keys_are_not_refused(admin: Client, owner_member: Member, make_key: MakeKey) -> None:
    secret, _ = make_key(owner_member)
    assert Client().get("/v1/me", headers={"Authorization": f"Bearer {secret}"}).status_code == 200
    assert shown(admin)["What was refused in the last day?"] == [("No call of an app or a key.", "")]


def test_a_late_schedule_is_marked(admin: Client) -> None:
    for name in ("delivermail", "sendmornings", "remind", "purgeexpired", BACKUP):
        note_run(name)
    LastRun.objects.filter(name="remind").update(finished_at=timezone.now() - timedelta(days=3))
    assert [text for text, _ in shown(admin)["Which schedules ran?"]] == [
        "delivermail",
        "sendmornings",
        "remind is late",
        "purgeexpired",
        "backup",
        "readcalendars: nothing due yet",
    ]


def test_unread_school_calendars_are_reported(admin: Client, owner_member: Member, settings: Any) -> None:
    SchoolCalendarFactory.create(member=owner_member, error_type="unreachable")
    DueCalendarFactory.create(member=owner_member, next_read_at=timezone.now() - timedelta(hours=1))
    note_run("readcalendars")
    page = shown(admin)
    assert page["Which schedules ran?"][-1] == ("readcalendars is late", "/docs/operating#commands")
    assert page["What waits?"] == [("1 school calendar failing", "/admin/planning/schoolcalendar/")]
    settings.SCHOOL_CALENDARS = False
    page = shown(admin)
    assert (len(page["Which schedules ran?"]), page["What waits?"]) == (5, [("Nothing.", "")])


def test_waiting_work_is_counted(admin: Client, settings: Any, owner_member: Member) -> None:
    settings.SIGN_UP = "invited"
    invite("new@example.org")
    OutgoingMail.objects.all().delete()
    outbox.store(MailKind.ANNOUNCEMENT, "Subject", "Text", ["a@example.org", "b@example.org"])
    OutgoingMail.objects.filter(email="a@example.org").update(attempts=2)
    Member.objects.filter(pk=owner_member.pk).update(erasure_began_at=timezone.now(), is_active=False)
    assert [text for text, _ in shown(admin)["What waits?"]] == [
        "2 e-mails to send, 1 failed before",
        "1 invitation not accepted",
        "1 member being deleted",
    ]


def test_an_operator_sees_only_permitted_rows(make_member: MakeMember) -> None:
    helper, client = make_member("helper@example.com", is_staff=True), Client()
    client.force_login(helper)
    assert list(shown(client)) == ["Is it healthy?", "Which schedules ran?"]
    helper.user_permissions.set(Permission.objects.filter(codename="view_member"))
    assert "Who joined?" in shown(client)


def test_the_number_of_statements_is_independent_of_the_data(
    admin: Client, make_member: MakeMember, owner_member: Member, statements: Callable[[], int]
) -> None:
    """Six statements for the answers, none of which loads all rows into the service."""
    before = statements()
    for number in range(20):
        make_member(f"m{number}@example.org")
        GrantFactory.create(user=owner_member, refused_at=timezone.now(), refusal="rate_limited")
    assert statements() == before <= 12


@pytest.fixture
def statements(admin: Client) -> Callable[[], int]:
    """The number of statements of the page."""

    def count() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert admin.get("/admin/").status_code == 200
        return len(queries)

    count()
    return count
