"""What the morning e-mail says."""

from typing import Any

import pytest
from django.conf import settings
from django.core import mail
from django.test import Client

from accounts.models import Member
from tests.support.calendars import path_of
from tests.support.commands import run
from tests.support.entry_points import RestEntryPoint
from tests.support.vocabulary import made_deck

pytestmark = [pytest.mark.rest, pytest.mark.django_db]

MORNING = "2026-11-28T07:30:00Z"
"""8:30 on a Saturday in Paris."""


@pytest.fixture(autouse=True)
def september(time_machine: Any, owner_member: Member) -> None:
    """Items of that time can be overdue in the morning."""
    Member.objects.filter(id=owner_member.id).update(morning_email=True)
    time_machine.move_to("2026-09-01T12:00:00Z")


@pytest.fixture
def morning(time_machine: Any) -> Any:
    """Runs the command that morning, and returns the e-mail or None."""

    def send() -> Any:
        time_machine.move_to(MORNING)
        run("sendmornings")
        return mail.outbox.pop() if mail.outbox else None

    return send


def dated(owner: RestEntryPoint, course: Any, title: str, due_on: str, **fields: Any) -> Any:
    return owner.made("create_item", course_id=course["id"], title=title, due_on=due_on, **fields)


def test_it_lists_what_the_day_needs(owner: RestEntryPoint, course: Any, morning: Any) -> None:
    dated(owner, course, "Essay 2", "2026-11-28", due_time="17:00")
    dated(owner, course, "Lab 3", "2026-11-29")
    midterm = dated(owner, course, "Midterm", "2026-12-03", due_time="10:00", kind="exam")
    dated(owner, course, "Problem set 4", "2026-11-26")
    owner.made("create_milestone", item_id=midterm["id"], title="Outline", due_on="2026-11-28")
    owner.made("create_milestone", item_id=midterm["id"], title="Read", due_on="2026-11-20")
    made_deck(owner, "Mitosis", "Osmosis")
    sent = morning()
    assert sent.to == ["owner@example.org"]
    assert (
        sent.subject == "Saturday: 2 due today, 1 due by Monday, 2 overdue, 1 exam or quiz within a week, 2 flashcards"
    )
    before, _, after = sent.body.partition("Turn it off:\n")
    assert before == (
        "Today, Saturday 28 November\n"
        "- 17:00 Essay 2 (Cell Biology)\n"
        "- Outline, for Midterm (Cell Biology)\n\n"
        "Tomorrow, Sunday 29 November\n"
        "- Lab 3 (Cell Biology)\n\n"
        "Overdue\n"
        "- Read, for Midterm (Cell Biology), since Fri 20 Nov\n"
        "- Problem set 4 (Cell Biology), since Thu 26 Nov\n\n"
        "Exams and quizzes in the next week\n"
        "- Midterm (exam, Cell Biology), Thu 3 Dec at 10:00, in 5 days\n\n"
        f"2 flashcards to study today: {settings.BASE_URL}/study\n\n"
        f"Your week: {settings.BASE_URL}/\n\n"
        "You asked for this e-mail in your account. "
    )
    assert Client().post(path_of(after.strip())).status_code == 200


def test_exams_and_quizzes_of_these_days_are_told_twice(owner: RestEntryPoint, course: Any, morning: Any) -> None:
    """In their day, and with all of the week. The subject has their kind, but no title."""
    dated(owner, course, "Vocabulary", "2026-11-28", due_time="09:00", kind="quiz")
    dated(owner, course, "Midterm", "2026-11-29", kind="exam")
    dated(owner, course, "Oral", "2026-11-29", kind="exam")
    done = dated(owner, course, "Done", "2026-11-28", kind="exam")
    owner.made("update_item", item_id=done["id"], done=True)
    sent = morning()
    assert sent.subject == (
        "Saturday: quiz today, exam tomorrow, 1 due today, 2 due by Monday, 3 exams and quizzes within a week"
    )
    assert "Saturday 28 November\n- 09:00 Vocabulary (quiz, Cell Biology)\n" in sent.body
    assert "Sunday 29 November\n- Midterm (exam, Cell Biology)\n- Oral (exam, Cell Biology)\n" in sent.body
    assert (
        "Exams and quizzes in the next week\n"
        "- Vocabulary (quiz, Cell Biology), Sat 28 Nov at 09:00, today\n"
        "- Midterm (exam, Cell Biology), Sun 29 Nov, tomorrow\n"
        "- Oral (exam, Cell Biology), Sun 29 Nov, tomorrow\n"
    ) in sent.body


def test_an_exam_with_cards_has_a_link_to_study_for_it(
    owner: RestEntryPoint, owner_member: Member, course: Any, morning: Any, client: Client
) -> None:
    made_deck(owner, "Mitosis", course_id=course["id"])
    dated(owner, course, "Quiz 1", "2026-11-28", kind="quiz")
    midterm = dated(owner, course, "Midterm", "2026-12-03", kind="exam")
    dated(owner, owner.made("create_course", name="History"), "Final", "2026-12-04", kind="exam")
    *_, section = morning().body.partition("next week\n")
    today, exam, without, *_ = section.splitlines()
    client.force_login(owner_member)
    link = f"{settings.BASE_URL}/items/{midterm['id']}"
    assert exam == f"- Midterm (exam, Cell Biology), Thu 3 Dec, in 5 days. Study for it: {link}"
    assert (today[-5:], without[-6:]) == ("today", "6 days")
    assert "Study for this exam" in client.get(path_of(link)).content.decode()


def test_nothing_to_tell_sends_nothing(owner: RestEntryPoint, course: Any, morning: Any) -> None:
    """Done, ticked, without a date, too far ahead, or of a course that has ended."""
    item = dated(owner, course, "Essay 2", "2026-11-28")
    owner.made("update_item", item_id=item["id"], done=True)
    far = dated(owner, course, "Essay 3", "2026-12-01")
    step = owner.made("create_milestone", item_id=far["id"], title="Outline", due_on="2026-11-28")
    owner.made("update_milestone", milestone_id=step["id"], done=True)
    owner.made("create_item", course_id=course["id"], title="Someday")
    dated(owner, course, "Final", "2026-12-06", kind="exam")
    ended = owner.made("create_course", name="History")
    dated(owner, ended, "Paper", "2026-11-28")
    made_deck(owner, "1066", course_id=ended["id"])
    owner.made("update_course", course_id=ended["id"], archived=True)
    assert morning() is None


@pytest.mark.same_statements
def test_the_last_days_count(owner: RestEntryPoint, course: Any, morning: Any) -> None:
    """Two days for all, seven for exams and quizzes."""
    dated(owner, course, "Lab", "2026-11-30")
    dated(owner, course, "Essay", "2026-12-01")
    dated(owner, course, "Quiz 2", "2026-12-05", kind="quiz")
    dated(owner, course, "Final", "2026-12-06", kind="exam")
    text = morning().body
    assert [title for title in ("Lab", "Essay", "Quiz 2", "Final") if title in text] == ["Lab", "Quiz 2"]
    assert "Monday 30 November" in text
    assert "in 7 days" in text


@pytest.mark.same_statements
def test_it_has_the_same_number_of_cards_as_the_page(
    owner: RestEntryPoint, owner_member: Member, morning: Any, client: Client
) -> None:
    owner.made("update_me", new_cards_a_day=3)
    made_deck(owner, "a", "b", "c", "d", "e")
    assert "3 flashcards to study today" in morning().body
    client.force_login(owner_member)
    assert "<strong>3</strong>" in client.get("/").content.decode()


@pytest.mark.same_statements
def test_a_long_list_is_cut(owner: RestEntryPoint, course: Any, morning: Any) -> None:
    for number in range(23):
        dated(owner, course, f"Task {number}", "2026-11-28")
    sent = morning()
    assert sent.subject == "Saturday: 23 due today"
    assert sent.body.count("- Task ") == 20
    assert "- and 3 more\n" in sent.body


@pytest.mark.same_statements
def test_text_is_not_escaped_and_stays_in_its_line(owner: RestEntryPoint, course: Any, morning: Any) -> None:
    dated(owner, course, "Möbius & <b>Klein</b> “七” 🧬", "2026-11-28")
    sent = morning()
    assert "- Möbius & <b>Klein</b> “七” 🧬 (Cell Biology)\n" in sent.body
    assert sent.message().as_string()


@pytest.mark.same_statements
def test_it_can_be_ended_by_one_post_of_the_mail_service(owner: RestEntryPoint, course: Any, morning: Any) -> None:
    """RFC 8058, 2 and 3.1."""
    dated(owner, course, "Essay", "2026-11-28")
    message = morning().message()
    assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    link = message["List-Unsubscribe"]
    assert (link[0], link[-1]) == ("<", ">")
    Client().post(path_of(link[1:-1]), {"List-Unsubscribe": "One-Click"})
    assert owner.made("get_me")["morning_email"] is False
