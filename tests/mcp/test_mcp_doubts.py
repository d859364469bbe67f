"""Tools report possible mistakes in a note. REST does not."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from studyservice.rows.limits import Limits
from tests.support.cases import each
from tests.support.entry_points import McpEntryPoint, RestEntryPoint
from tests.support.tools import mcp_of

pytestmark = [pytest.mark.database("sqlite", "texts of tools"), pytest.mark.django_db, pytest.mark.rest]


@pytest.fixture
def tools(owner: RestEntryPoint) -> McpEntryPoint:
    return mcp_of(owner)


@pytest.fixture
def course(owner: RestEntryPoint) -> Any:
    return owner.made("create_course", name="Cell Biology", term="Fall 2026")


def warnings_of(tools: McpEntryPoint, name: str, /, **given: Any) -> list[str]:
    """The texts of a call after the first one, except the old values of changed fields."""
    result = tools.rpc("tools/call", {"name": name, "arguments": given}).json()["result"]
    assert not result["isError"], result
    return [block["text"] for block in result["content"][1:] if not block["text"].startswith("was: ")]


def test_an_item_outside_its_term_is_reported(tools: McpEntryPoint, owner: RestEntryPoint, course: Any) -> None:
    fields = {"course_id": course["id"], "title": "Midterm"}
    assert warnings_of(tools, "create_item", **fields, due_on="2026-10-14") == []
    assert warnings_of(tools, "create_item", **fields) == []
    [text] = warnings_of(tools, "create_item", **fields, due_on="2027-10-14")
    assert text.startswith('Done, but check with the member: "Midterm", ')
    assert "is outside Fall 2026" in text
    item = owner.made("create_item", **fields, due_on="2027-10-14")
    assert warnings_of(tools, "update_item", item_id=item["id"], due_on="2027-10-14") == []
    assert warnings_of(tools, "update_item", item_id=item["id"], title="Final") == []
    [text] = warnings_of(tools, "update_item", item_id=item["id"], due_on="2027-10-15")
    assert "is outside Fall 2026" in text


def test_every_item_of_a_call_is_checked(tools: McpEntryPoint, owner: RestEntryPoint, course: Any) -> None:
    """Each against its own course's term and its own milestones."""
    spring = owner.made("create_course", name="Botany", term="Spring 2027")
    essay = owner.made("create_item", course_id=course["id"], title="Essay", due_on="2026-10-14")
    quiz = owner.made("create_item", course_id=spring["id"], title="Quiz", due_on="2027-03-01")
    owner.made("create_milestone", item_id=essay["id"], title="Outline", due_on="2026-10-13")
    more = [{"item_id": quiz["id"], "due_on": "2026-10-12"}]
    [text] = warnings_of(tools, "update_item", item_id=essay["id"], due_on="2026-10-12", more=more)
    assert text.count("outside") == 1
    assert '"Quiz", 12 October 2026, is outside Spring 2027' in text
    assert "“Outline” is due on 2026-10-13, after “Essay”" in text


def test_it_follows_the_ignored_arguments(tools: McpEntryPoint, course: Any) -> None:
    ignored, doubted = warnings_of(
        tools, "create_item", course_id=course["id"], title="Midterm", due_on="2027-10-14", done=True
    )
    assert ignored.startswith("Ignored")
    assert doubted.startswith("Done, but")


def test_a_milestone_after_its_item_is_reported(tools: McpEntryPoint, owner: RestEntryPoint, course: Any) -> None:
    item = owner.made("create_item", course_id=course["id"], title="Essay", due_on="2026-10-14")
    fields = {"item_id": item["id"], "title": "Outline"}
    assert warnings_of(tools, "create_milestone", **fields, due_on="2026-10-14") == []
    late = "“Outline” is due on 2026-10-15, after “Essay”, which is due on 2026-10-14."
    assert warnings_of(tools, "create_milestone", **fields, due_on="2026-10-15") == [
        f"Done, but check with the member: {late}"
    ]
    step = owner.made("create_milestone", **fields, due_on="2026-10-12")
    assert warnings_of(tools, "update_milestone", milestone_id=step["id"], title="Draft") == []
    [text] = warnings_of(tools, "update_milestone", milestone_id=step["id"], due_on="2026-10-16")
    assert "“Draft” is due on 2026-10-16" in text
    [text] = warnings_of(tools, "update_item", item_id=item["id"], due_on="2026-10-11")
    assert text.count("after “Essay”, which is due on 2026-10-11.") == 3
    owner.made("update_milestone", milestone_id=step["id"], done=True)
    [text] = warnings_of(tools, "update_item", item_id=item["id"], due_on="2026-10-10")
    assert text.count("after “Essay”") == 2


def test_a_new_term_reports_items_outside_it(tools: McpEntryPoint, owner: RestEntryPoint, course: Any) -> None:
    """The text names at most five."""
    more = [{"title": f"Quiz {number}", "due_on": "2026-10-14"} for number in range(6)]
    owner.made("create_item", course_id=course["id"], title="Quiz", due_on="2026-10-14", more=more)
    [text] = warnings_of(tools, "update_course", course_id=course["id"], term="Spring 2027")
    assert text.count("is outside Spring 2027") == 5
    assert text.endswith("And 2 more.")


@pytest.mark.database("both")
def test_another_course_of_the_same_name_is_named_with_its_id(
    tools: McpEntryPoint, owner: RestEntryPoint, stranger: RestEntryPoint, course: Any
) -> None:
    owner.made("create_course", name="Cell  Biology")
    stranger.made("create_course", name="CELL BIOLOGY")
    [text] = warnings_of(tools, "create_course", name=" cell BIOLOGY ")
    assert text == (
        f"Done, but check with the member: There is another course named “Cell Biology” (Fall 2026), id {course['id']}."
    )
    assert warnings_of(tools, "create_course", name="Cell Biology 2") == []


def test_an_ended_course_of_the_same_name_is_named_too(
    tools: McpEntryPoint, owner: RestEntryPoint, course: Any
) -> None:
    owner.made("update_course", course_id=course["id"], archived=True)
    [text] = warnings_of(tools, "create_course", name="Cell Biology")
    assert text.endswith(f"another course named “Cell Biology” (Fall 2026, ended), id {course['id']}.")


@pytest.mark.database("both")
def test_a_hidden_course_of_the_same_name_is_not_named(
    owner: RestEntryPoint, owner_member: Any, make_key: Any, course: Any
) -> None:
    seen = owner.made("create_course", name="Latin")
    limited = McpEntryPoint(make_key(owner_member, limits=Limits((seen["id"],)).stored())[0])
    assert warnings_of(limited, "create_course", name="Cell Biology") == []
    [text] = warnings_of(limited, "create_course", name="latin")
    assert seen["id"] in text


def same_items(tools: McpEntryPoint, name: str, /, **given: Any) -> list[str]:
    """What the notes of a call say about items of the same title and date, each as `“title” (id …)`."""
    found = [text for text in warnings_of(tools, name, **given) if "same title and date" in text]
    return [one.removesuffix(".") for text in found for one in text.rpartition(": ")[2].split(", ")]


@pytest.mark.database("both")
@each("due_on", ["2026-10-14", None])
def test_an_item_of_the_same_title_and_date_is_named_with_its_id(
    tools: McpEntryPoint, owner: RestEntryPoint, course: Any, due_on: str | None
) -> None:
    """Undated equals undated."""
    fields = {"course_id": course["id"], "due_on": due_on}
    first = owner.made("create_item", **fields, title="Straße 7")
    assert same_items(tools, "create_item", **fields, title=" STRASSE 7 ") == [f"“STRASSE 7” (id {first['id']})"]
    assert same_items(tools, "create_item", **fields, title="Straße  7") == []
    assert same_items(tools, "create_item", course_id=course["id"], title="Straße 7", due_on="2026-10-15") == []
    other = owner.made("create_course", name="Algebra")
    assert same_items(tools, "create_item", course_id=other["id"], due_on=due_on, title="Straße 7") == []


def test_an_item_twice_in_one_call_is_named_too(tools: McpEntryPoint, owner: RestEntryPoint, course: Any) -> None:
    entries = [{"title": title, "due_on": "2026-10-14"} for title in ("Quiz", "Essay", "quiz", "QUIZ")]
    told = same_items(tools, "create_item", course_id=course["id"], **entries[0], more=entries[1:])
    first = owner.made("list_items", course_id=course["id"])["data"][0]
    assert told == [f"“quiz” (id {first['id']})", f"“QUIZ” (id {first['id']})"]
    told = same_items(tools, "create_course", name="Algebra", items=entries)
    first = owner.made("list_items", q="Algebra")["data"][0]
    assert told == [f"“quiz” (id {first['id']})", f"“QUIZ” (id {first['id']})"]


def test_a_skipped_item_is_not_reported(tools: McpEntryPoint, course: Any) -> None:
    sent = {"course_id": course["id"], "title": "Quiz", "due_on": "2026-10-14", "if_exists": "skip"}
    for _ in range(2):
        assert same_items(tools, "create_item", **sent, more=[{"title": "quiz", "due_on": "2026-10-14"}]) == []


def test_every_one_of_a_hundred_is_named(tools: McpEntryPoint, course: Any) -> None:
    entries = [{"title": f"Quiz {number}"} for number in range(100)]
    sent = {"course_id": course["id"], **entries[0], "more": entries[1:]}
    assert same_items(tools, "create_item", **sent) == []
    assert len(same_items(tools, "create_item", **sent)) == 100


@each(
    ("name", "given", "more"),
    [
        ("update_course", {"term": "Spring 2027"}, 1),
        ("update_course", {"term": "Fall 2026", "code": "BIO 1"}, 0),
        ("update_item", {"due_on": "2026-10-15"}, 2),
        ("update_item", {"due_on": "2026-10-14", "title": "Final"}, 0),
        ("update_milestone", {"due_on": "2026-10-16"}, 0),
    ],
)
def test_only_a_new_term_or_date_needs_extra_statements(
    owner: RestEntryPoint, name: str, given: dict[str, Any], more: int
) -> None:
    """Only tools read the items of the course, or the milestones of the item, again after the write."""
    counts = []
    for entry_point in (owner, mcp_of(owner)):
        its = owner.made("create_course", name="Cell Biology", term="Fall 2026")
        item = owner.made("create_item", course_id=its["id"], title="Midterm", due_on="2026-10-14")
        step = owner.made("create_milestone", item_id=item["id"], title="Outline", due_on="2026-10-12")
        ids = {"course_id": its["id"], "item_id": item["id"], "milestone_id": step["id"]}
        path_id = f"{name.removeprefix('update_')}_id"
        entry_point.made("get_me")
        with CaptureQueriesContext(connection) as captured:
            entry_point.made(name, **{path_id: ids[path_id]}, **given)
        counts.append(len(captured))
    assert counts[1] - counts[0] == more
