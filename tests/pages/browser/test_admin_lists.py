"""Lists of the admin on a screen of 1,280 pixels: every column is visible."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType
from playwright.sync_api import Page

from accounts.signing_in.second_factor.factors import note
from courses.models import Course
from oauthserver.consents import block
from tests.support.factories import (
    AccessTokenFactory,
    AccountEventFactory,
    ApiKeyFactory,
    ApplicationFactory,
    AttemptFactory,
    CalendarFeedFactory,
    CardFactory,
    ChangeFactory,
    CourseFactory,
    DeckFactory,
    GradeCategoryFactory,
    GradeScoreFactory,
    GrantFactory,
    InvitationFactory,
    ItemFactory,
    MilestoneFactory,
    RefreshTokenFactory,
    SyllabusFileFactory,
)

pytestmark = pytest.mark.database("sqlite", "page layout")

WORDS = "Introduction to the Molecular Biology of Plants and Fungi, with Exercises in the Field"
EMAIL = "maximiliane.featherstonehaugh-montgomery@students.example-university.ac.uk"

HIDDEN = """() => [document.documentElement, ...document.querySelectorAll(".results")]
    .map((part) => part.scrollWidth - part.clientWidth)"""
"""Pixels by which the page and its table exceed the visible width."""


@pytest.fixture
def long_rows(make_member: Callable[..., Any]) -> None:
    """A row for each list, with texts as long as in real use."""
    of: dict[str, Any] = {"member": make_member(EMAIL, name="Maximiliane Featherstonehaugh-Montgomery")}
    ApiKeyFactory.create(name="Calendar script on the laptop at home, every night", **of)
    CalendarFeedFactory.create(**of)
    InvitationFactory.create(email=f"another.{EMAIL}")
    course = CourseFactory.create(name=WORDS, code="BIO-4711", term="Michaelmas term 2026", **of)
    SyllabusFileFactory.create(filename=f"{WORDS.replace(' ', '_')}.pdf", course=course, **of)
    item = ItemFactory.create(title=f"Final examination: {WORDS}", course=course, **of)
    MilestoneFactory.create(title=f"Read the first chapter of {WORDS}", item=item, **of)
    category = GradeCategoryFactory.create(name="Assignments and quizzes in the laboratory", course=course, **of)
    GradeScoreFactory.create(label=f"Report on {WORDS}", category=category, **of)
    deck = DeckFactory.create(name=WORDS, course=course, **of)
    CardFactory.create(term=f"What is the subject of {WORDS}?", deck=deck, **of)
    AttemptFactory.create(topic=WORDS, **of)
    ChangeFactory.create(object_name=WORDS, by_name="Study Helper for Universities", **of)
    AccountEventFactory.create(
        kind="key_new_network",
        by_kind="key",
        by_name="Calendar script on the laptop at home, every night",
        object_type="api_key",
        object_name="Calendar script on the laptop at home, every night",
        network="2001:db8:1234:5600::/56",
        detail="the last of 50 that are reported",
        request_id="req_w5yamuyoOXO9MkVPuRoKJk-o",
        **of,
    )
    LogEntry.objects.create(
        user=of["member"],
        content_type=ContentType.objects.get_for_model(Course),
        object_repr=WORDS,
        action_flag=CHANGE,
        change_message="Changed Name, Code, Term, Meets, Institution, Subject and Syllabus text.",
    )
    app = ApplicationFactory.create(
        name="Study Helper for Universities and Other Schools", client_id=f"svc_{uuid4().hex}"
    )
    block("https://helper.example.org/oauth/client-metadata.json")
    note(of["member"], "Second factor: added the passkey “Security key on the ring of keys at home”.")
    family = {"user": of["member"], "application": app, "token_family": uuid4()}
    GrantFactory.create(**family)
    RefreshTokenFactory.create(access_token=AccessTokenFactory.create(**family), **family)


@pytest.mark.thorough("all lists share one template")
def test_every_list_fits_the_screen(open_signed_in: Callable[..., Page], member: Any, long_rows: None) -> None:
    from django.contrib import admin
    from django.contrib.auth.models import Group
    from django.urls import reverse

    member.is_staff = member.is_superuser = True
    member.save()
    page = open_signed_in(viewport={"width": 1280, "height": 800})
    hidden = {}
    for model in admin.site._registry.keys() - {Group}:
        address = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
        page.goto(address)
        hidden[address] = page.evaluate(HIDDEN)
    assert {address: pixels for address, pixels in hidden.items() if any(pixels)} == {}
    assert all(len(pixels) == 2 for pixels in hidden.values()), "each list has a row"
