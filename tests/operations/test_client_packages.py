"""The clients of `make clients` against the service with network faults: the scripts of their pages, and more.

TypeScript runs in Node.js, Python in this process. Waits are recorded but not performed.
"""

import asyncio
import importlib
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from io import BytesIO
from pathlib import Path
from textwrap import indent
from types import SimpleNamespace
from typing import Any

import pytest

from tests import ROOT
from tests.support import javascript, packages
from tests.support.between import Between, between
from tests.support.calendar_files import one_deadline
from tests.support.entry_points import RestEntryPoint
from tests.support.world import OPERATIONS

pytestmark = [
    pytest.mark.database("sqlite", "client libraries"),
    pytest.mark.rest,
    pytest.mark.django_db(transaction=True),
]


@pytest.fixture
def way(live_server: Any, owner: RestEntryPoint, monkeypatch: pytest.MonkeyPatch) -> Iterator[Between]:
    """The proxy to the service. The environment contains its address and a key of the owner."""
    with between(live_server.url) as way:
        monkeypatch.setenv("STUDY_URL", way.url)
        monkeypatch.setenv("STUDY_API_KEY", owner.secret)
        yield way


@pytest.fixture
def python(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The Python client, with its records in `models`."""
    monkeypatch.syspath_prepend(str(packages.python_site()))
    importlib.import_module("study_data_service_client.models")
    return importlib.import_module("study_data_service_client")


@pytest.fixture
def study(python: Any, way: Between) -> Iterator[Any]:
    """The Python client's `Study`."""
    with python.Study() as study:
        yield study


@pytest.fixture
def waited(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The waits that the Python client asked for, in seconds."""
    seconds: list[float] = []
    monkeypatch.setattr("httpx_retries.retry.time", SimpleNamespace(sleep=seconds.append))
    return seconds


@pytest.fixture
def typescript(way: Between, tmp_path: Path) -> Callable[[str], Any]:
    """Runs a script that uses `study`, and returns the JSON that it prints."""
    site = packages.javascript_site()

    def run_script(script: str) -> Any:
        file = site / f"{tmp_path.name}.ts"
        imports = (
            'import { Refused, connect, every, got } from "study-data-service-client";\nconst study = connect();\n'
        )
        file.write_text(imports + script)
        return json.loads(_printed([javascript.node(), str(file)]))

    return run_script


def _printed(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _in_python(script: str) -> str:
    site = packages.python_site()
    return _printed([sys.executable, "-c", f"import sys; sys.path.insert(0, {str(site)!r})\n{script}"])


def _in_typescript(script: str) -> str:
    file = packages.javascript_site() / "page.ts"
    file.write_text(script)
    return _printed([javascript.node(), str(file)])


@pytest.mark.parametrize(
    ("language", "run"),
    [
        ("python", _in_python),
        pytest.param("typescript", _in_typescript, marks=pytest.mark.thorough("same test in a second language")),
    ],
)
@pytest.mark.usefixtures("way")
def test_the_script_on_its_page_runs_unchanged(
    owner: RestEntryPoint, course: Any, language: str, run: Callable[[str], str]
) -> None:
    due = date.fromisoformat(owner.made("get_me")["today"]) + timedelta(days=3)
    owner.made("create_item", course_id=course["id"], title="Midterm", kind="exam", due_on=due.isoformat())
    owner.made("create_item", course_id=course["id"], title="Quiz", kind="quiz")
    script = packages.script(language)
    assert run(script) == f"{due} Midterm\n"
    assert indent(script, "    ") in (ROOT / "docs" / "clients.md").read_text(encoding="utf-8")
    assert len([line for line in script.splitlines() if line.strip(" }")]) <= 5


def test_python_has_a_method_for_every_operation(python: Any) -> None:
    assert set(OPERATIONS) - set(dir(python.Study)) == set()


def test_python_writes_once_if_the_answer_is_lost(
    owner: RestEntryPoint, python: Any, study: Any, way: Between, waited: list[float]
) -> None:
    way.faults = ["lose", "cut", "lose"]
    made = study.create_course(name="Cell Biology")
    assert [course["id"] for course in owner.made("list_courses")["data"]] == [str(made.id)]
    assert (len(way.keys), len(set(way.keys)), None in way.keys) == (4, 1, False)
    assert waited == [1, 2, 4]
    study.create_course(name="Genetics", idempotency_key="mine")
    assert way.keys[-1] == "mine"


@pytest.mark.thorough("the same in a second language")
def test_typescript_writes_once_if_the_answer_is_lost(
    owner: RestEntryPoint, typescript: Callable[[str], Any], way: Between
) -> None:
    way.faults = ["lose"]
    made = typescript("""
        const course = await got(study.POST("/v1/courses", { body: { name: "Cell Biology" } }));
        const params = { header: { "Idempotency-Key": "mine" } };
        await got(study.POST("/v1/courses", { params, body: { name: "Genetics" } }));
        console.log(JSON.stringify(course.id));""")
    assert [course["name"] for course in owner.made("list_courses")["data"]] == ["Cell Biology", "Genetics"]
    assert owner.made("list_courses")["data"][0]["id"] == made
    assert way.keys[0] == way.keys[1] is not None
    assert way.keys[2] == "mine"


def test_python_writes_once_under_asyncio(owner: RestEntryPoint, python: Any, study: Any, way: Between) -> None:
    create_course = importlib.import_module("study_data_service_client.api.courses.create_course")
    way.faults = ["cut"]

    async def made() -> Any:
        async with study.client as client:
            return await create_course.asyncio(client=client, body=python.models.NewCourseBody(name="Cell Biology"))

    assert asyncio.run(made()).name == "Cell Biology"
    assert way.keys[0] == way.keys[1] is not None
    assert len(owner.made("list_courses")["data"]) == 1


def test_python_waits_for_a_busy_service(python: Any, study: Any, way: Between, waited: list[float]) -> None:
    way.faults = [(429, "17"), (503, ""), (500, "5")]
    assert study.get_me().email == "owner@example.org"
    assert waited == [17, 2, 5]
    way.faults = [(409, "1")]
    study.create_course(name="Cell Biology")
    assert (waited[3:], way.keys[4]) == ([1], way.keys[5])


@pytest.mark.thorough("the same in a second language")
def test_typescript_waits_for_a_busy_service(typescript: Callable[[str], Any], way: Between) -> None:
    way.faults = [(429, "1"), (503, "0")]
    seconds, email = typescript("""
        const start = performance.now();
        const me = await got(study.GET("/v1/me"));
        console.log(JSON.stringify([(performance.now() - start) / 1000, me.email]));""")
    assert (way.got, email) == (["GET /v1/me"] * 3, "owner@example.org")
    assert seconds >= 1


@pytest.mark.thorough("same test in a second language")
def test_typescript_waits_no_longer_than_its_timeout(typescript: Callable[[str], Any], way: Between) -> None:
    way.faults = [(429, "5")]
    name, seconds = typescript("""
        const start = performance.now();
        const error = await study.GET("/v1/me", { signal: AbortSignal.timeout(500) }).catch((ended) => ended);
        console.log(JSON.stringify([error.name, (performance.now() - start) / 1000]));""")
    assert (name, way.got) == ("TimeoutError", ["GET /v1/me"])
    assert seconds < 3


def test_python_does_not_retry_permanent_errors(python: Any, study: Any, way: Between, waited: list[float]) -> None:
    for fault, calls in [((429, "3600"), 1), ((409, ""), 1), ((403, ""), 1)]:
        way.faults, way.got = [fault], []
        with pytest.raises(python.Refused) as refused:
            study.get_me()
        assert (refused.value.status, len(way.got)) == (fault[0], calls)
    way.faults, way.got = [(503, "")] * 4, []
    with pytest.raises(python.Refused, match="503"):
        study.get_me()
    assert (len(way.got), waited) == (4, [1, 2, 4])


def test_python_reports_the_error(python: Any, study: Any) -> None:
    with pytest.raises(python.Refused, match="name") as refused:
        study.create_course(name=" ")
    error = refused.value
    assert (error.status, error.type, error.details[0]["field"]) == (422, "validation_failed", "name")
    assert error.request_id.startswith("req_")


@pytest.mark.thorough("same test in a second language")
def test_typescript_reports_the_error(typescript: Callable[[str], Any], way: Between) -> None:
    way.faults = [(429, "3600")]
    seen = typescript("""
        const seen = [];
        for (const name of ["", ""]) {
          await got(study.POST("/v1/courses", { body: { name } })).catch((error) => {
            if (!(error instanceof Refused)) throw error;
            seen.push([error.status, error.type, error.details[0]?.field ?? error.retryAfter]);
          });
        }
        console.log(JSON.stringify(seen));""")
    assert seen == [[429, "rate_limited", 3600], [422, "validation_failed", "name"]]


TITLES = ["Essay", "Midterm", "Quiz"]


def test_python_walks_all_pages(owner: RestEntryPoint, course: Any, study: Any, way: Between) -> None:
    for title in TITLES:
        owner.made("create_item", course_id=course["id"], title=title)
    assert sorted(item.title for item in study.list_items(limit=1)) == TITLES
    assert len(way.got) == 3
    assert sorted(item.title for item in study.list_items()) == TITLES
    assert len(list(study.list_changes())) == 4
    assert [found.name for found in study.list_courses()] == [course["name"]]
    assert len(way.got) == 6


@pytest.mark.thorough("same test in a second language")
def test_typescript_walks_all_pages(
    owner: RestEntryPoint, course: Any, typescript: Callable[[str], Any], way: Between
) -> None:
    for title in TITLES:
        owner.made("create_item", course_id=course["id"], title=title)
    titles, changes = typescript("""
        const titles = [];
        for await (const item of every(study, "/v1/items", { limit: 1 })) titles.push(item.title);
        let changes = 0;
        for await (const _ of every(study, "/v1/changes")) changes += 1;
        console.log(JSON.stringify([titles, changes]));""")
    assert (sorted(titles), changes, len(way.got)) == (TITLES, 4, 4)


def test_python_accepts_unknown_values(owner: RestEntryPoint, course: Any, study: Any, way: Between) -> None:
    owner.made("create_item", course_id=course["id"], title="Midterm", kind="exam")
    deck = owner.made("create_vocab_deck", name="Organelles", cards=[{"term": "ATP", "definition": "Energy"}])
    way.rewritten = {b'"exam"': b'"seminar"', b'"new"': b'"buried"'}
    assert [item.kind for item in study.list_items()] == ["seminar"]
    [found] = study.list_vocab_decks(deck_id=deck["id"], include_cards=True)
    assert [card.state for card in found.cards] == ["buried"]


@pytest.mark.thorough("same test in a second language")
def test_typescript_accepts_unknown_values(
    owner: RestEntryPoint, course: Any, typescript: Callable[[str], Any], way: Between
) -> None:
    owner.made("create_item", course_id=course["id"], title="Midterm", kind="exam")
    way.rewritten = {b'"exam"': b'"seminar"'}
    run_script = typescript("""
        const page = await got(study.GET("/v1/items"));
        console.log(JSON.stringify(page.data.map((item) => item.kind)));""")
    assert run_script == ["seminar"]


def test_python_resends_a_complete_file(
    course: Any, python: Any, study: Any, way: Between, waited: list[float]
) -> None:
    way.faults = ["lose"]
    run_script = study.import_calendar(course["id"], file=BytesIO(one_deadline()))
    assert (len(run_script.new), len(waited)) == (1, 1)
    assert len(way.bodies) == 2
    assert all(one_deadline() in body for body in way.bodies)


def test_python_reads_a_file(owner: RestEntryPoint, study: Any) -> None:
    deck = owner.made("create_vocab_deck", name="Organelles", cards=[{"term": "ATP", "definition": "Energy"}])
    assert b"ATP,Energy" in study.export_vocab_deck(deck["id"])


def test_python_accepts_keyword_arguments(owner: RestEntryPoint, study: Any) -> None:
    """For fields: mappings for records, text for dates and ids, null, and omitted values."""
    items = [{"title": "Midterm", "kind": "exam", "due_on": date(2030, 1, 31)}, {"title": "Essay", "due_on": None}]
    course = study.create_course(name="Cell Biology", code="BIO 210", items=items)
    study.update_course(course.id, code=None)
    [found] = owner.made("list_courses")["data"]
    assert (found["code"], found["term"]) == (None, "Fall semester")
    due = {item["title"]: item["due_on"] for item in owner.made("list_items")["data"]}
    assert due == {"Midterm": "2030-01-31", "Essay": None}
    deck = study.create_vocab_deck(
        name="Organelles", course_id=str(course.id), cards=[{"term": "A", "definition": "B"}]
    )
    assert str(deck.course_id) == found["id"]


def test_python_sends_files_in_every_form(study: Any, tmp_path: Path) -> None:
    table = tmp_path / "Organelles.csv"
    table.write_text("term,definition\nATP,Energy\n")
    with table.open("rb") as opened:
        forms = [table, opened, table.read_bytes()]
        made = [study.import_vocab_decks(file=form, if_exists="merge").decks[0] for form in forms]
    assert [deck.name for deck in made] == ["Organelles", "Organelles", "upload"]
    proposed = study.create_syllabus(text="Biology 210\nMidterm: 3 December 2030")
    from_file = study.create_syllabus(file=b"Biology 210\nMidterm: 3 December 2030")
    assert [item.title for item in proposed.proposal.items] == [item.title for item in from_file.proposal.items]
