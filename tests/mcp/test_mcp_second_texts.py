"""Notes of a tool's result, which are also texts after its JSON: deleted objects, old values, unconfirmed quotes."""

import json
from typing import Any

import pytest

from accounts.models import Member
from mcpbridge.tools import tools as definitions
from tests.support.cases import each
from tests.support.entry_points import McpEntryPoint, RestEntryPoint
from tests.support.tools import mcp_of
from tests.support.vocabulary import made_deck
from tests.support.world import TOOLS

pytestmark = [
    pytest.mark.database("sqlite", "texts made from the log"),
    pytest.mark.django_db,
    pytest.mark.rest,
]

UNDO = "The member can undo this until 2026-12-22, at http://127.0.0.1:8000/activity."


@pytest.fixture(autouse=True)
def _now(time_machine: Any, owner_member: Member) -> None:
    """An evening on which the member already has the next day."""
    time_machine.move_to("2026-11-21T20:00:00Z")
    Member.objects.filter(id=owner_member.id).update(time_zone="Pacific/Auckland")


@pytest.fixture
def tools(owner: RestEntryPoint) -> McpEntryPoint:
    return mcp_of(owner)


def texts(tools: McpEntryPoint, name: str, /, **arguments: Any) -> list[str]:
    """The notes of a successful call, which are also the texts after its JSON."""
    result = tools.rpc("tools/call", {"name": name, "arguments": arguments}).json()["result"]
    assert result["isError"] is False, result
    first, *more = [block["text"] for block in result["content"]]
    assert json.loads(first) == result["structuredContent"]
    assert result["structuredContent"].get("notes") == (more or None)
    return more


def was(tools: McpEntryPoint, name: str, /, **arguments: Any) -> Any:
    [text] = texts(tools, name, **arguments)
    head, _, fields = text.partition(": ")
    assert head == "was"
    return json.loads(fields)


def test_a_deletion_names_the_objects_and_how_long_and_where_it_can_be_undone(
    tools: McpEntryPoint, course: Any, item: Any, milestone: Any
) -> None:
    tools.made("create_milestone", item_id=item["id"], title="Draft")
    assert texts(tools, "delete_milestone", milestone_id=milestone["id"]) == [
        f"Deleted the milestone “Outline”. {UNDO}"
    ]
    assert texts(tools, "delete_item", item_id=item["id"]) == [f"Deleted the item “Midterm” with 1 milestone. {UNDO}"]
    tools.made("create_item", course_id=course["id"], title="Essay")
    assert texts(tools, "delete_course", course_id=course["id"]) == [
        f"Deleted the course “Cell Biology” with 1 item. {UNDO}"
    ]
    deck = made_deck(tools, "a", "b", name="Words")
    assert texts(tools, "delete_vocab_deck", deck_id=deck["id"]) == [f"Deleted the deck “Words” with 2 cards. {UNDO}"]


def test_replaced_categories_name_the_deleted_ones(tools: McpEntryPoint, course: Any) -> None:
    def replace(*categories: Any) -> list[str]:
        return texts(tools, "set_grade_categories", course_id=course["id"], categories=list(categories))

    assert (
        replace({"name": "Labs", "weight": 20}, {"name": "Quizzes", "weight": 30}, {"name": "Exam", "weight": 50}) == []
    )
    _, quizzes, exam = tools.made("get_grades", course_id=course["id"])["categories"]
    for label in ("Quiz 1", "Quiz 2"):
        score = {"category_id": quizzes["id"], "label": label, "score": 80}
        tools.made("add_grade_score", course_id=course["id"], **score)
    score = tools.made("add_grade_score", course_id=course["id"], category_id=exam["id"], label="Midterm", score=70)
    assert texts(tools, "delete_grade_score", score_id=score["id"]) == [f"Deleted the grade score “Midterm”. {UNDO}"]
    assert replace(exam, {"name": "Papers", "weight": 50}) == [
        "Deleted the grade categories “Labs” and “Quizzes” with 2 grade scores: “Quiz 1” and “Quiz 2” of “Quizzes”. "
        + UNDO
    ]
    assert replace(exam | {"weight": 100}) == [f"Deleted the grade category “Papers”. {UNDO}"]
    assert replace(exam | {"weight": 100}) == []


def test_each_deleted_category_names_its_scores(tools: McpEntryPoint, course: Any) -> None:
    its = {"course_id": course["id"]}
    entries = [{"name": "Labs", "weight": 50}, {"name": "Quizzes", "weight": 50}]
    labs, quizzes = tools.made("set_grade_categories", **its, categories=entries)["categories"]
    for category, number in ((labs, 1), (quizzes, 30)):
        for place in range(number):
            score = {"category_id": category["id"], "label": f"{category['name']} {place}", "score": 80}
            tools.made("add_grade_score", **its, **score)
    [text] = texts(tools, "set_grade_categories", **its, categories=[])
    head, _, scores = text.partition(": ")
    assert head == "Deleted the grade categories “Labs” and “Quizzes” with 31 grade scores"
    assert (scores.count("“Labs "), scores.count("“Quizzes ")) in {(1, 19), (0, 20)}
    assert ", and 11 more. The member" in scores


def test_weights_that_do_not_sum_to_100_are_named(tools: McpEntryPoint, course: Any) -> None:
    def replace(*weights: float) -> list[str]:
        categories = [{"name": f"Part {place}", "weight": weight} for place, weight in enumerate(weights)]
        gone = "Deleted the grade categor"
        noted = texts(tools, "set_grade_categories", course_id=course["id"], categories=categories)
        return [text for text in noted if not text.startswith(gone)]

    told = "Done, but check with the member: The weights add up to {} %, not to 100 %."
    assert replace(60) == [told.format(60)]
    assert replace(60, 33.3333) == [told.format("93.3333")]
    assert replace(33.3333, 33.3333, 33.3333) == []
    assert replace(60, 40) == []
    assert replace() == []


def test_an_update_names_the_old_values(tools: McpEntryPoint, course: Any, item: Any) -> None:
    step = tools.made("create_milestone", item_id=item["id"], title="Outline", more=[{"title": "Draft"}])
    assert was(tools, "update_item", item_id=item["id"], due_on="2026-12-05", title="Midterm") == {"due_on": None}
    assert was(tools, "update_item", item_id=item["id"], due_on=None, kind="exam") == {
        "kind": "other",
        "due_on": "2026-12-05",
    }
    assert was(tools, "update_milestone", milestone_id=step["id"], done=True, place=2) == {"done": False, "place": 1}
    tools.made("update_course", course_id=course["id"], syllabus_text="ü" * 5000)
    before = was(tools, "update_course", course_id=course["id"], name="Botany", syllabus_text=None)
    assert before == {"name": "Cell Biology", "syllabus_text": "ü" * 100}


def test_an_update_of_several_items_names_the_old_values_of_each_with_its_id(
    tools: McpEntryPoint, course: Any, item: Any
) -> None:
    more = [{"title": "Essay", "due_on": "2026-12-01"}, {"title": "Lab", "due_on": "2026-12-02"}]
    items = tools.made("create_item", course_id=course["id"], title="Quiz", due_on="2026-12-03", more=more)["items"]
    quiz, essay, lab = (one["id"] for one in items)
    entries = [{"item_id": essay, "due_on": "2026-12-01"}, {"item_id": lab, "title": "Lab 1", "due_on": None}]
    before = was(tools, "update_item", item_id=quiz, done=True, more=entries)
    assert before == [{"item_id": quiz, "done": False}, {"item_id": lab, "title": "Lab", "due_on": "2026-12-02"}]
    first, *others = before
    tools.made("update_item", **first, more=others)
    assert [tools.made("get_item", item_id=one)["title"] for one in (quiz, essay, lab)] == ["Quiz", "Essay", "Lab"]


def test_the_only_changed_item_of_several_is_named_with_its_id(tools: McpEntryPoint, course: Any, item: Any) -> None:
    essay = tools.made("create_item", course_id=course["id"], title="Essay")
    midterm, entries = {"item_id": item["id"]}, [{"item_id": essay["id"], "kind": "paper"}]
    assert was(tools, "update_item", **midterm, title=item["title"], more=entries) == [
        {"item_id": essay["id"], "kind": "other"}
    ]
    assert was(tools, "update_item", **midterm, title="Final", more=entries) == [{**midterm, "title": "Midterm"}]
    assert texts(tools, "update_item", **midterm, title="Final", more=entries) == []


def test_a_call_without_effect_has_one_text(tools: McpEntryPoint, course: Any, item: Any, milestone: Any) -> None:
    for name, given in (
        ("update_item", {"item_id": item["id"], "title": "Midterm"}),
        ("update_milestone", {"milestone_id": milestone["id"], "place": 1}),
        ("update_course", {"course_id": course["id"]}),
        ("create_item", {"course_id": course["id"], "title": "Essay", "more": [{"title": "Lab"}]}),
        ("create_course", {"name": "Botany", "grade_categories": [{"name": "Exam", "weight": 100}]}),
        ("get_item", {"item_id": item["id"]}),
    ):
        assert texts(tools, name, **given) == [], name


def test_it_follows_the_ignored_arguments(tools: McpEntryPoint, item: Any) -> None:
    ignored, before = texts(tools, "update_item", item_id=item["id"], title="Final", zzz=1)
    assert ignored.startswith("Ignored, as this tool has no such arguments: zzz.")
    assert before == 'was: {"title": "Midterm"}'


def test_quotes_are_counted_as_confirmed_or_explained(tools: McpEntryPoint) -> None:
    syllabus = "Fall 2026\nMidterm: October 8, 2026\nEssay due every week\nLab report: November 3, 2026"
    items = [
        {"title": "Midterm", "due_on": "2026-10-08", "quote": "Midterm: October 8, 2026"},
        {"title": "Essay", "due_on": "2026-10-09", "quote": "Essay due every week"},
        {"title": "Lab report", "due_on": "2026-11-04", "quote": "Lab report: November 3, 2026"},
        {"title": "Final", "due_on": "2026-12-18", "quote": "Final: Friday"},
        {"title": "Without a quote"},
    ]
    [text] = texts(tools, "create_course", name="Botany", syllabus_text=syllabus, items=items)
    head, *lines = text.split("\n")
    assert head == "1 of 4 quotes is confirmed. Tell the member of the others:"
    assert [line.partition(": ")[0] for line in lines] == [
        "- items[1] “Essay”, inferred",
        "- items[2] “Lab report”, contradicted",
        "- items[3] “Final”, not_found",
    ]
    assert len({line.partition(": ")[2] for line in lines}) == 3


def test_warnings_follow_the_quotes(tools: McpEntryPoint) -> None:
    line = "Quiz 2: Wednesday, October 8, 2026"
    items = [{"title": "Quiz 2", "due_on": "2026-10-08", "quote": line}]
    [text] = texts(tools, "create_course", name="Botany", syllabus_text=f"Fall 2026\n{line}", items=items)
    assert text.split("\n") == [
        "1 of 1 quote is confirmed.",
        "Warnings for the member:",
        '- items[0]: "Quiz 2", 8 October 2026, is a Thursday; the text says Wednesday.',
    ]


def test_all_confirmed_quotes_are_one_sentence(tools: McpEntryPoint, course: Any) -> None:
    tools.made("update_course", course_id=course["id"], syllabus_text="Quiz 1: October 8, 2026")
    one, two = (
        {"title": title, "due_on": "2026-10-08", "quote": "Quiz 1: October 8, 2026"} for title in ("Quiz 1", "A")
    )
    assert texts(tools, "create_item", course_id=course["id"], **one) == ["1 of 1 quote is confirmed."]
    more = [two | {"title": "B"}]
    assert texts(tools, "create_item", course_id=course["id"], **two, more=more) == ["2 of 2 quotes are confirmed."]


def test_at_most_twenty_are_named(tools: McpEntryPoint, course: Any) -> None:
    more = [{"title": f"Quiz {number}", "quote": "Nowhere"} for number in range(1, 30)]
    [text] = texts(tools, "create_item", course_id=course["id"], title="Quiz 0", quote="Nowhere", more=more)
    head, *lines = text.split("\n")
    assert head == "0 of 30 quotes are confirmed. Tell the member of the others:"
    assert (len(lines), lines[-1]) == (21, "- and 10 more")


@each("name", TOOLS)
def test_no_record_has_a_field_of_this_name(name: str) -> None:
    assert "notes" not in (definitions()[name].definition.output_schema or {})["properties"]


def test_rest_is_unaffected(owner: RestEntryPoint, item: Any) -> None:
    answer = owner.made("update_item", item_id=item["id"], title="Final")
    assert answer == item | {"title": "Final", "updated_at": answer["updated_at"]}
