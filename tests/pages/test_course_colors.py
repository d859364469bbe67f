"""Each course has a color of its own, which it keeps."""

import re
from typing import Any
from uuid import UUID

import pytest
from django.test import Client

from courses.models import HUES, Course
from tests.support.archives import a_course, lines_of, parts, zipped
from tests.support.entry_points import RestEntryPoint

pytestmark = [pytest.mark.rest, pytest.mark.django_db, pytest.mark.database("sqlite", "the look of pages")]


def colors(browser: Client) -> dict[str, str]:
    """The color of each course on /courses, by name."""
    page = browser.get("/courses").content.decode()
    return {
        name: hue for hue, name in re.findall(r'class="card course (hue-\d+)".*?<a [^>]*>(.*?)</a>', page, re.DOTALL)
    }


def add_courses(owner: RestEntryPoint, number: int) -> list[Any]:
    return [owner.made("create_course", name=f"Course {n}") for n in range(number)]


@pytest.mark.database("both")
def test_as_many_courses_as_colors_have_different_ones(browser: Client, owner: RestEntryPoint) -> None:
    made = add_courses(owner, HUES + 1)
    found = colors(browser)
    assert len(set(list(found.values())[:HUES])) == HUES
    assert found["Course 12"] == found["Course 0"], "then they begin again"
    assert all("hue" not in course for course in made), "no answer has it"


def test_a_course_keeps_its_color(browser: Client, owner: RestEntryPoint) -> None:
    """Also when others go, when it is changed, and when its deletion is undone. A new one takes the free color."""
    made = add_courses(owner, 4)
    before = colors(browser)
    owner.made("delete_course", course_id=made[1]["id"])
    owner.made("update_course", course_id=made[2]["id"], code="BIO 1")
    deletion = owner.made("list_changes")["data"][1]
    owner.made("create_course", name="New")
    assert colors(browser)["New"] == before["Course 1"]
    owner.made("undo_change", change_id=deletion["id"])
    assert {name: hue for name, hue in colors(browser).items() if name != "New"} == before


def test_a_course_without_a_stored_color_keeps_the_one_of_its_id(browser: Client, owner: RestEntryPoint) -> None:
    """As courses from before an upgrade. A new one avoids it."""
    [course] = add_courses(owner, 1)
    derived = f"hue-{UUID(course['id']).int % HUES}"
    Course.objects.update(hue=None)
    assert colors(browser) == {"Course 0": derived}
    for n in range(1, HUES):
        owner.made("create_course", name=f"Later {n}")
    assert len(set(colors(browser).values())) == HUES


def test_a_course_has_its_color_on_every_page(browser: Client, owner: RestEntryPoint) -> None:
    [course] = add_courses(owner, 1)
    item = owner.made("create_item", course_id=course["id"], title="Quiz", due_on=owner.made("get_me")["today"])
    card = {"term": "Nucleus", "definition": "Holds the DNA"}
    deck = owner.made("create_vocab_deck", name="Cells", course_id=course["id"], cards=[card])
    hue = colors(browser)["Course 0"]
    pages = ("/", "/courses", f"/courses/{course['id']}", f"/items/{item['id']}", "/decks", f"/decks/{deck['id']}")
    for path in (*pages, f"/courses/{course['id']}/categories"):
        assert re.search(rf'class="[^"]*\b{hue}\b', browser.get(path).content.decode()), path


def test_the_archive_keeps_colors(browser: Client, owner: RestEntryPoint) -> None:
    """A course from an older archive has none."""
    old = a_course(name="Old", id="00000000-0000-4000-8000-000000000000")
    owner.made("import_data", file=zipped(parts(courses=[a_course(name="New", hue=7), old])))
    assert colors(browser)["New"] == "hue-7"
    assert {line["name"]: line["hue"] for line in lines_of(owner.made("export_data"), "courses")} == {
        "New": 7,
        "Old": None,
    }
