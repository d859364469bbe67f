"""A syllabus read by the operator's language model: create_syllabus and get_syllabus with `reader`."""

import json
import time
from datetime import timedelta
from typing import Any
from unittest.mock import ANY

import pytest
from django.utils import timezone
from prometheus_client import REGISTRY

from accounts.erasure.erasing import erase_member
from courses.model_reading import asking, readings
from courses.models import SyllabusFile
from studyservice.rates.limiter import Rate, hit
from tests.support.archives import parts_of
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.model_server import ModelServer, answer, content, cut, rows
from tests.support.syllabus_files import pdf
from tests.support.uploads import multipart
from tests.support.world import fields_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.rest, pytest.mark.usefixtures("files")]
one_database = pytest.mark.database("sqlite", "another test sends the same statements")

TEXT = """BIO 210 Cell Biology, Fall 2026

Essay: due by Thu, Dec 3
Week 2 (Sep 14-18): quiz on Thursday
Lab report every Friday, from the second week on
The poster is shown in class
Report, week 2
Wear a coat
Bring a pen
Read the book
Something about the term paper
Exams 80 %
Quizzes are worth 10 points of 50 points in total
"""
ESSAY = {
    "title": "Essay",
    "kind": "paper",
    "due_on": "2026-12-03",
    "due_time": "17:00",
    "quote": "Essay: due by Thu, Dec 3",
}
FORM = "multipart/form-data; boundary=BoUnDaRyStRiNg"


def sent(owner: RestEntryPoint, text: str = TEXT, **fields: Any) -> Any:
    return owner.made("create_syllabus", text=text, **{"reader": "model"} | fields)


def read(owner: RestEntryPoint, text: str = TEXT, **fields: Any) -> Any:
    """The Syllabus after its reading has ended."""
    made = sent(owner, text, **fields)
    for _ in range(500):
        found = owner.made("get_syllabus", syllabus_id=made["id"])
        if found["model"]["state"] != "reading":
            return found
        time.sleep(0.02)
    raise AssertionError("The reading did not end.")


def by_title(syllabus: Any) -> dict[str, Any]:
    return {one["title"]: one for one in syllabus["proposal"]["items"]}


@pytest.mark.database("both")
def test_it_answers_the_rules_at_once_and_the_model_later(owner: RestEntryPoint, model: ModelServer) -> None:
    model.answers = [rows(ESSAY, categories=[{"name": "Exams", "weight": 80, "quote": "Exams 80 %"}])]
    first = sent(owner)
    assert (first["proposal"]["reader"], first["model"]) == ("rules", {"state": "reading", "error": None})
    found = read(owner)
    assert found["model"] == {"state": "ready", "error": None}
    assert found["proposal"]["reader"] == "model"
    assert by_title(found)["Essay"] == {
        "title": "Essay",
        "kind": "paper",
        "due_on": "2026-12-03",
        "due_time": "17:00",
        "line": 3,
        "quote": "Essay: due by Thu, Dec 3",
        "confidence": 0.95,
        "doubt": None,
        "match": "new",
        "item_id": None,
        "evidence": "confirmed",
        "category": None,
    }
    assert found["proposal"]["grade_categories"] == [
        {"name": "Exams", "weight": 80.0, "line": 12, "evidence": "confirmed", "doubt": None, "drop_lowest": 0}
    ]
    rules = owner.made("get_syllabus", syllabus_id=first["id"], reader="rules")
    assert rules["proposal"] == first["proposal"]


@one_database
def test_it_sends_the_text_the_day_and_the_course_and_no_member(
    owner: RestEntryPoint, owner_member: Any, model: ModelServer
) -> None:
    course = owner.made("create_course", name="Cell Biology", code="BIO 210", term="Fall 2026")
    read(owner, course_id=course["id"])
    [asked] = model.asked
    [message] = asked["messages"]
    assert (asked["path"], asked["model"], message["role"]) == ("/v1/chat/completions", "small", "user")
    assert asked["response_format"]["json_schema"]["schema"]["required"] == ["items", "grade_categories"]
    assert TEXT.strip() in message["content"]
    assert str(owner_member.today()) in message["content"]
    assert "Cell Biology, BIO 210, Fall 2026" in message["content"]
    assert model.headers["Authorization"] == "Bearer secret-key"
    whole = json.dumps(asked)
    assert not [
        one for one in (str(owner_member.id), owner_member.email, owner_member.name, course["id"]) if one in whole
    ]


@one_database
def test_each_row_is_checked_against_the_text(owner: RestEntryPoint, model: ModelServer) -> None:
    week, poster, paper = (TEXT.splitlines()[line] for line in (3, 5, 10))
    lab = TEXT.splitlines()[4]
    model.answers = [
        rows(
            ESSAY,
            {"title": "Quiz", "kind": "quiz", "due_on": "2026-09-17", "quote": week},
            {"title": "Report", "kind": "paper", "due_on": "2026-09-16", "quote": TEXT.splitlines()[6]},
            {"title": "Lab report", "kind": "lab", "due_on": "2026-09-18", "quote": lab},
            {"title": "Poster", "kind": "poster", "due_on": "tomorrow", "quote": poster},
            {"title": "Term paper", "kind": "paper", "due_on": "2026-11-02", "quote": paper},
            {"title": "Draft", "kind": "paper", "due_on": "2026-12-10", "quote": ESSAY["quote"]},
            {"title": "Other weekday", "kind": "quiz", "due_on": "2026-09-15", "quote": week},
        )
    ]
    found = by_title(read(owner))
    assert {title: (one["evidence"], one["confidence"], one["doubt"]) for title, one in found.items()} == {
        "Essay": ("confirmed", 0.95, None),
        "Quiz": ("confirmed", 0.95, None),
        "Report": ("inferred", 0.85, None),
        "Lab report": ("inferred", 0.5, "it recurs"),
        "Poster": ("confirmed", 0.5, "no date"),
        "Term paper": ("inferred", 0.5, "no date beside it"),
        "Draft": ("contradicted", 0.3, "another day is written there"),
        "Other weekday": ("contradicted", 0.3, "another day is written there"),
    }
    assert (found["Poster"]["kind"], found["Poster"]["due_on"]) == ("other", None)


WEEKS = """BIO 210 Cell Biology, Fall 2026
| 9/7 | Cells |
| 9/14 | Genes | Quiz 1 |
| 9/21 | Lecture on Thursday | Quiz 2 |
| 9/28 | Proteins |
"""
DAYS = WEEKS.replace("| 9/21 | Lecture on Thursday", "| 9/16 | Enzymes")


@one_database
@each(
    ("text", "title", "due_on", "evidence"),
    [
        (WEEKS, "Quiz 1", "2026-09-18", "inferred"),
        (WEEKS, "Quiz 2", "2026-09-25", "inferred"),
        (WEEKS, "Quiz 1", "2026-09-14", "confirmed"),
        (WEEKS, "Quiz 1", "2026-09-22", "contradicted"),
        (DAYS, "Quiz 1", "2026-09-15", "contradicted"),
    ],
)
def test_a_row_for_a_week_gives_its_days(owner: RestEntryPoint, model: ModelServer, **case: str) -> None:
    [quote] = [line for line in case["text"].splitlines() if case["title"] in line]
    model.answers = [rows({"title": case["title"], "kind": "quiz", "due_on": case["due_on"], "quote": quote})]
    found = read(owner, f"{case['text']}{case['due_on'].replace('-', '')}")["proposal"]["items"]
    assert [one["evidence"] for one in found if one["evidence"]] == [case["evidence"]]


@one_database
def test_what_the_text_does_not_have_is_left_out_and_counted(owner: RestEntryPoint, model: ModelServer) -> None:
    invented = ESSAY | {"quote": "Essay: due by Thu, Dec 10"}
    model.answers = [
        rows(
            *(ESSAY, invented, ESSAY | {"title": " "}, ESSAY | {"quote": None}, 5, ESSAY | {"title": "x" * 200}),
            categories=[{"name": "Exams", "weight": "80"}, {"name": "Labs", "weight": 7}, {"name": None, "weight": 1}],
        )
    ]
    proposal = read(owner)["proposal"]
    assert [one["title"] for one in proposal["items"] if one["evidence"]] == ["Essay", "x" * 160]
    assert proposal["grade_categories"] == [
        {
            "name": "Labs",
            "weight": 7.0,
            "line": 0,
            "evidence": "not_found",
            "doubt": "the text has no line for it",
            "drop_lowest": 0,
        }
    ]
    [warning] = [one for one in proposal["warnings"] if one["type"] == "model"]
    assert warning == {
        "type": "model",
        "message": "6 rows of the model were left out: the text does not have the line of 2 and 4 cannot be read.",
        "index": None,
    }


@one_database
@each(
    ("category", "evidence"),
    [
        (("Exams", 80, "Exams 80 %"), "confirmed"),
        (("Exams", 80, None), "confirmed"),
        (("Quizzes", 20, "Quizzes are worth 10 points of 50 points in total"), "confirmed"),
        (("Exams", 70, "Exams 80 %"), "not_found"),
        (("Exams", 900, "Exams 80 %"), "not_found"),
    ],
)
def test_the_weight_of_a_category_is_checked(
    owner: RestEntryPoint, model: ModelServer, category: tuple[str, int, str | None], evidence: str
) -> None:
    name, weight, quote = category
    model.answers = [rows(categories=[{"name": name, "weight": weight, "quote": quote}])]
    [found] = read(owner, f"Room {weight * 7} {quote}\n{TEXT}")["proposal"]["grade_categories"]
    assert (found["weight"], found["evidence"], bool(found["doubt"])) == (weight, evidence, evidence == "not_found")


@one_database
def test_what_only_the_rules_would_tick_is_below_and_not_ticked(owner: RestEntryPoint, model: ModelServer) -> None:
    first = sent(owner)
    sure = [one for one in first["proposal"]["items"] if one["confidence"] >= 0.8]
    found = read(owner)["proposal"]["items"]
    assert sure
    assert found == [one | {"confidence": 0.5, "doubt": "the model did not find it", "evidence": None} for one in sure]


@one_database
@each(
    "reply",
    [
        content(f"Here it is:\n```json\n{json.dumps({'items': [ESSAY]})}\n```\nGood luck!"),
        content(f"<think>{{1}}?</think>{json.dumps({'items': [ESSAY], 'grade_categories': None})}"),
    ],
)
def test_json_may_stand_among_other_words(owner: RestEntryPoint, model: ModelServer, reply: Any) -> None:
    model.answers = [reply]
    assert by_title(read(owner))["Essay"]["evidence"] == "confirmed"


@one_database
@each(
    ("replies", "error", "asked"),
    [
        ([answer(b"rubbish")], "Its answer is not JSON.", 2),
        ([content("I am sorry.")], "Its answer is not the JSON that it was asked for.", 2),
        ([content('{"deadlines": []}')], "Its answer is not the JSON that it was asked for.", 2),
        ([content("[" * 100_000)], "Its answer is not the JSON that it was asked for.", 2),
        ([answer(b'{"choices": []}')], "Its answer has an unknown shape.", 2),
        ([cut], "Its server cannot be reached, or ended the connection.", 2),
        ([answer(status=429)], "Its server answered with status 429.", 2),
        ([answer(status=503)], "Its server answered with status 503.", 2),
        ([answer(status=401)], "Its server answered with status 401.", 1),
        ([answer(status=403)], "Its server answered with status 403.", 1),
        ([answer(status=404)], "Its server answered with status 404.", 1),
        ([answer(status=302, Location="http://127.0.0.1:1/")], "Its server redirects to another address.", 1),
        ([rows(*[ESSAY] * 30_000)], "Its answer is too long.", 1),
    ],
)
def test_an_answer_that_is_none_fails(
    owner: RestEntryPoint, model: ModelServer, replies: Any, error: str, asked: int
) -> None:
    model.answers, model.asked = replies, []
    found = read(owner, f"{TEXT} {id(replies)}")
    assert found["model"] == {"state": "failed", "error": error}
    assert (found["proposal"]["reader"], len(model.asked)) == ("rules", asked)


@one_database
def test_it_is_asked_once_more_after_a_fault(owner: RestEntryPoint, model: ModelServer) -> None:
    model.answers = [answer(status=500), rows(ESSAY)]
    assert read(owner)["model"]["state"] == "ready"


@one_database
def test_a_server_that_refuses_the_format_is_asked_for_plain_json(owner: RestEntryPoint, model: ModelServer) -> None:
    model.answers = [answer(b'{"error": "response_format"}', 400), rows(ESSAY)]
    assert read(owner)["model"]["state"] == "ready"
    assert ["response_format" in one for one in model.asked] == [True, False]


@one_database
def test_an_answer_that_never_ends_fails_in_time(
    owner: RestEntryPoint, model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "SECONDS", 0.5)
    for reply in (model.silent, model.dripping):
        model.answers = [reply]
        assert read(owner)["model"] == {"state": "failed", "error": "It did not answer in time."}


@one_database
def test_words_that_are_everywhere_prove_nothing(owner: RestEntryPoint, model: ModelServer) -> None:
    model.answers = [rows(ESSAY | {"quote": "An essay."})]
    [found] = [one for one in read(owner, TEXT + "An essay.\n" * 201)["proposal"]["items"] if one["evidence"]]
    assert (found["evidence"], found["doubt"]) == ("inferred", "its words are in too many places")


@one_database
def test_more_than_300_rows_are_cut(owner: RestEntryPoint, model: ModelServer) -> None:
    model.answers = [rows(*(ESSAY | {"title": f"Essay {number}"} for number in range(301)))]
    proposal = read(owner)["proposal"]
    assert len(proposal["items"]) == 300
    assert [one["message"] for one in proposal["warnings"] if one["type"] == "too_many"] == [
        "The text names 301 items; the first 300 are here."
    ]


@one_database
def test_unusable_characters_of_an_answer_are_removed(owner: RestEntryPoint, model: ModelServer) -> None:
    model.answers = [rows(ESSAY | {"title": "Es\x00say\ud800 \n1", "category": "\x07"})]
    assert "Essay 1" in by_title(read(owner))


@one_database
def test_two_are_read_at_once_and_others_wait(owner: RestEntryPoint, model: ModelServer) -> None:
    model.answers = [model.silent]
    for number in range(4):
        assert sent(owner, f"{TEXT}{number}")["model"]["state"] == "reading"
    for _ in range(200):
        if len(model.asked) == readings.AT_ONCE:
            break
        time.sleep(0.02)
    time.sleep(0.1)
    assert len(model.asked) == readings.AT_ONCE == 2
    model.answers = [rows(ESSAY)]
    model.released.set()
    for number in range(4):
        read(owner, f"{TEXT}{number}", reader="rules")


@one_database
def test_sent_again_it_is_read_only_if_it_was_not(owner: RestEntryPoint, model: ModelServer) -> None:
    assert sent(owner, reader="rules")["model"] is None
    model.answers = [answer(status=404)]
    assert read(owner)["model"]["state"] == "failed"
    model.answers = [rows(ESSAY)]
    assert read(owner)["model"]["state"] == "ready"
    again = sent(owner)
    assert (again["proposal"]["reader"], again["model"]["state"], len(model.asked)) == ("model", "ready", 2)
    assert sent(owner, reader="rules")["proposal"]["reader"] == "rules"


@one_database
def test_a_reading_that_did_not_end_has_failed_after_15_minutes(owner: RestEntryPoint, model: ModelServer) -> None:
    made = read(owner)
    ago = timezone.now() - timedelta(minutes=15)
    SyllabusFile.objects.filter(id=made["id"]).update(model_state="reading", model_asked_at=ago)
    found = owner.made("get_syllabus", syllabus_id=made["id"])
    assert found["model"] == {"state": "failed", "error": "It was not read within 15 minutes."}


@one_database
def test_the_twenty_first_reading_of_a_day_is_429_and_keeps_nothing(
    owner: RestEntryPoint, owner_member: Any, model: ModelServer
) -> None:
    ready = read(owner)
    hit(Rate.MODEL_READINGS, str(owner_member.id), 19)
    assert sent(owner)["id"] == ready["id"]
    assert sent(owner, "a" * 200_001)["model"] == {
        "state": "failed",
        "error": "The text has more than 200,000 characters.",
    }
    refused = owner.client.post("/v1/syllabi", json.dumps({"text": "b", "reader": "model"}), "application/json")
    assert (refused.status_code, 86_000 < int(refused["Retry-After"]) <= 86_400) == (429, True)
    assert SyllabusFile.objects.count() == 2


@one_database
def test_a_file_without_text_fails_with_the_reason(owner: RestEntryPoint, model: ModelServer) -> None:
    form = multipart(pdf([[]]), filename="a.pdf", reader="model")
    answered = owner.client.post("/v1/syllabi", form, content_type=FORM)
    assert (answered.status_code, answered.json()["model"]) == (
        201,
        {"state": "failed", "error": "The file has no text that could be read."},
    )


@one_database
def test_without_a_model_it_is_422(owner: RestEntryPoint) -> None:
    made = sent(owner, reader="rules")
    assert owner.call("create_syllabus", text=TEXT, reader="model").fields == ["reader"]
    assert owner.call("get_syllabus", syllabus_id=made["id"], reader="model").fields == ["reader"]
    assert owner.call("get_syllabus", syllabus_id=made["id"], reader="magic").fields == ["reader"]
    form = multipart(b"Week 1", reader="model")
    assert fields_of(owner.client.post("/v1/syllabi", form, content_type=FORM)) == ["reader"]


@one_database
def test_a_reading_is_in_no_change_and_ends_with_its_file(owner: RestEntryPoint, model: ModelServer) -> None:
    model.answers = [rows(ESSAY)]
    course = owner.made("create_course", name="Cell Biology", syllabus_id=read(owner)["id"])
    [file] = owner.made("list_syllabi", course_id=course["id"])["data"]
    assert file["model"] == {"state": "ready", "error": None}
    changes = json.dumps(owner.made("list_changes"))
    assert "model" not in changes
    owner.made("delete_syllabus", syllabus_id=file["id"])
    assert not SyllabusFile.objects.exists()


@one_database
def test_a_deleted_upload_stays_deleted(owner: RestEntryPoint, model: ModelServer) -> None:
    model.answers = [model.silent]
    made = sent(owner)
    for _ in range(200):
        if model.asked:
            break
        time.sleep(0.02)
    owner.made("delete_syllabus", syllabus_id=made["id"])
    model.answers = [rows(ESSAY)]
    model.released.set()
    assert read(owner, f"{TEXT} again")["model"]["state"] == "ready"
    assert owner.call("get_syllabus", syllabus_id=made["id"]).error == "not_found"


@one_database
def test_the_proposal_of_a_model_is_compared_with_the_course(owner: RestEntryPoint, model: ModelServer) -> None:
    course = owner.made("create_course", name="Cell Biology", term="Fall 2026")
    there = owner.made("create_item", course_id=course["id"], title="Essay", due_on="2026-12-01")
    gone = owner.made("create_item", course_id=course["id"], title="Oral", due_on="2026-12-09")
    model.answers = [rows(ESSAY)]
    found = by_title(read(owner, course_id=course["id"]))
    assert (found["Essay"]["match"], found["Essay"]["item_id"]) == ("moved", there["id"])
    assert found["Oral"] == {
        **dict.fromkeys(("line", "quote", "confidence", "doubt", "evidence", "category")),
        "title": "Oral",
        "kind": ANY,
        "due_on": "2026-12-09",
        "due_time": None,
        "match": "gone",
        "item_id": gone["id"],
    }


@one_database
def test_unchanged_lines_are_not_proposed_back(owner: RestEntryPoint, model: ModelServer) -> None:
    text = f"{TEXT}Oral exam: Fri, Dec 4\nMidterm: Fri, Oct 9"
    course = owner.made("create_course", name="Cell Biology", term="Fall 2026", syllabus_text=text)
    its = {"course_id": course["id"]}
    there = owner.made("create_item", **its, title="Essay", due_on="2026-12-01")  # the member corrected the date
    midterm = owner.made("create_item", **its, title="Midterm", due_on="2026-10-09")
    oral = {"title": "Oral exam", "kind": "exam", "due_on": "2026-12-04", "quote": "Oral exam: Fri, Dec 4"}
    moved = {"title": "Midterm", "kind": "exam", "due_on": "2026-10-16", "quote": "Midterm: Fri, Oct 16"}
    model.answers = [rows(ESSAY, oral, moved)]
    found = by_title(read(owner, text.replace("Oct 9", "Oct 16"), **its))
    assert {title: (one["match"], one["item_id"], one["due_on"]) for title, one in found.items()} == {
        "Essay": ("same", there["id"], "2026-12-03"),
        "Oral exam": ("same", None, "2026-12-04"),
        "Midterm": ("moved", midterm["id"], "2026-10-16"),
        "Quiz": ("same", None, "2026-09-17"),  # of the rules
    }


@one_database
@each(
    ("said", "category"),
    [
        ("Term papers", "Term papers"),
        ("term PAPERS", "Term papers"),
        (None, "Essays"),
        ("Nothing", "Essays"),
        (5, "Essays"),
    ],
)
def test_an_item_has_the_category_that_the_model_says_or_else_that_of_its_words(
    owner: RestEntryPoint, model: ModelServer, said: object, category: str
) -> None:
    categories = [{"name": "Essays", "weight": 30}, {"name": "Term papers", "weight": 50}]
    model.answers = [rows(ESSAY | {"category": said}, categories=categories)]
    assert by_title(read(owner, f"{TEXT}{said}"))["Essay"]["category"] == category


@one_database
@each(
    ("said", "dropped"),
    [(2, 2), (0, 0), (20, 20), (50, 20), (-1, 0), (None, 0), ("2", 0), (True, 0), (1.5, 0)],
)
def test_a_category_has_the_drops_that_the_model_says(
    owner: RestEntryPoint, model: ModelServer, said: object, dropped: int
) -> None:
    model.answers = [rows(ESSAY, categories=[{"name": "Exams", "weight": 80, "drop_lowest": said}])]
    assert read(owner, f"{TEXT}{said!r}")["proposal"]["grade_categories"][0]["drop_lowest"] == dropped


@one_database
def test_a_long_text_is_checked_in_the_child_process(owner: RestEntryPoint, model: ModelServer) -> None:
    model.answers = [rows(ESSAY)]
    found = by_title(read(owner, TEXT + "Words about biology.\n" * 2_000))
    assert (found["Essay"]["due_on"], found["Essay"]["evidence"]) == ("2026-12-03", "confirmed")


@one_database
def test_one_text_sent_twice_at_once_is_read_once(owner: RestEntryPoint, model: ModelServer, in_threads: Any) -> None:
    made = in_threads(lambda _: sent(owner), [1, 2, 3])
    assert len({one["id"] for one in made}) == 1
    assert read(owner)["model"]["state"] == "ready"
    assert len(model.asked) == 1


@one_database
def test_a_reading_is_not_in_the_archive_and_is_erased_with_the_member(
    owner: RestEntryPoint, owner_member: Any, model: ModelServer
) -> None:
    model.answers = [rows(ESSAY | {"title": "Marked by the model"})]
    owner.made("create_course", name="Cell Biology", syllabus_id=read(owner)["id"])
    archive = b"".join(parts_of(owner.made("export_data")).values())
    assert b"syllabus.txt" in archive
    assert b"Marked by the model" not in archive
    erase_member(owner_member.id)
    assert not SyllabusFile.objects.exists()


@one_database
def test_each_reading_is_measured_by_its_outcome(owner: RestEntryPoint, model: ModelServer) -> None:
    import studyservice.server.metrics  # noqa: F401  # the service loads it with METRICS_ADDRESS alone

    def counts() -> list[float]:
        name = "studyservice_syllabus_model_readings_total"
        read = [REGISTRY.get_sample_value(name, {"outcome": outcome}) or 0 for outcome in ("ready", "failed")]
        return [*read, REGISTRY.get_sample_value("studyservice_syllabus_model_seconds_count") or 0]

    before = counts()
    model.answers = [rows(ESSAY)]
    read(owner)
    model.answers = [answer(status=401)]
    read(owner, f"{TEXT} again")
    for _ in range(100):  # the metrics follow the state
        if counts()[2] == before[2] + 2:
            break
        time.sleep(0.02)
    assert [now - then for now, then in zip(counts(), before, strict=True)] == [1, 1, 2]


@one_database
def test_no_log_has_the_text(owner: RestEntryPoint, model: ModelServer, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    model.answers = [content(f"{TEXT} {ESSAY['quote']}")]
    assert read(owner)["model"]["state"] == "failed"
    assert "A model did not read a syllabus" in caplog.text
    assert not [word for word in ("Essay", "poster", "secret-key") if word in caplog.text]
