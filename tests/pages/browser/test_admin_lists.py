"""The lists of the admin on a screen of 1,280 pixels: no column hides behind its edge."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import Page

from accounts.second_factor.keeping import note
from oauthserver.blocking import block
from tests.support.factories import (
    AccessTokenFactory,
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

pytestmark = pytest.mark.once("the look of pages")

WORDS = "Introduction to the Molecular Biology of Plants and Fungi, with Exercises in the Field"
EMAIL = "maximiliane.featherstonehaugh-montgomery@students.example-university.ac.uk"

HIDDEN = """() => [document.documentElement, ...document.querySelectorAll(".results")]
    .map((part) => part.scrollWidth - part.clientWidth)"""
"""Pixels that the page, and its table, are wider than what is seen of them."""


@pytest.fixture
def long_rows(make_member: Callable[..., Any]) -> None:
    """A row for each list, of a member and with texts as long as people have them."""
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
    app = ApplicationFactory.create(
        name="Study Helper for Universities and Other Schools", client_id=f"svc_{uuid4().hex}"
    )
    block("https://helper.example.org/oauth/client-metadata.json")
    note(of["member"], "Second factor: added the passkey “Security key on the ring of keys at home”.")
    family = {"user": of["member"], "application": app, "token_family": uuid4()}
    GrantFactory.create(**family)
    RefreshTokenFactory.create(access_token=AccessTokenFactory.create(**family), **family)


def test_every_list_fits(open_signed_in: Callable[..., Page], member: Any, long_rows: None) -> None:
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
