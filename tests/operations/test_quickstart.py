"""The guides with examples in three languages: every fenced block runs unchanged, and the clients of the quick start
behave as the specification advises.
"""

import importlib.util
import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests import ROOT
from tests.support import javascript
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint

pytestmark = pytest.mark.database("sqlite", "guides run unchanged")

QUICK_START, PLANNING, GRADES, PRACTICE = "quickstart", "planning", "grades", "practice"
CLIENT = 1
"""The block of the quick start that defines `call`, in Python and in TypeScript."""
REFUSAL = b'{"error": {"type": "told"}}'
PAGE_WITHOUT_ITEMS = b'{"data": [], "next_cursor": null}'


def text_of(guide: str) -> str:
    return (ROOT / "docs" / f"{guide}.md").read_text(encoding="utf-8")


def blocks(language: str, guide: str = QUICK_START) -> list[str]:
    """The fenced blocks of a guide in one language, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text_of(guide), re.MULTILINE | re.DOTALL)


@each("guide", [QUICK_START, PLANNING, GRADES, PRACTICE])
def test_its_blocks_are_in_exactly_three_languages(guide: str) -> None:
    languages = set(re.findall(r"^```(\w*)$", text_of(guide), re.MULTILINE)) - {"", "json"}
    assert languages == {"sh", "python", "ts"}


def _shell(directory: Path, guide: str = QUICK_START) -> str:
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    return _printed(["bash", "-euo", "pipefail", "-c", "\necho\n".join(blocks("sh", guide))], directory)


def _python(directory: Path, *code: str) -> str:
    (directory / "study.py").write_text("\n".join(code))
    return _printed([sys.executable, "study.py"], directory)


def _typescript(directory: Path, *code: str) -> str:
    (directory / "study.ts").write_text("\n".join(code))
    return _printed([javascript.node(), "study.ts"], directory)


def _printed(command: list[str], directory: Path) -> str:
    done = subprocess.run(  # according to the page
        command, cwd=directory, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def served(live_server: Any, owner: RestEntryPoint, monkeypatch: pytest.MonkeyPatch) -> RestEntryPoint:
    """The owner, with a key and the service's address where the guides' blocks expect them."""
    monkeypatch.setenv("STUDY_URL", live_server.url)
    monkeypatch.setenv("STUDY_API_KEY", owner.secret)
    return owner


@pytest.mark.rest
@pytest.mark.django_db(transaction=True)
def test_every_block_runs_unchanged(served: RestEntryPoint, tmp_path: Path) -> None:
    me, course, item, made, decks = map(json.loads, _shell(tmp_path).split("\n"))
    assert me == served.made("get_me")
    assert [course] == served.made("list_courses")["data"]
    assert [item] == served.made("list_items")["data"]
    assert made["result"]["structuredContent"]["cards"][0]["term"] == "Ribosome"
    assert [deck["name"] for deck in decks["data"]] == ["Organelles"]
    printed = f"{me['today']}\n2030-12-03 exam Midterm\n"
    assert _python(tmp_path, *blocks("python")) == _typescript(tmp_path, *blocks("ts")) == printed


@pytest.mark.rest
@pytest.mark.django_db(transaction=True)
def test_every_block_about_planning_runs_unchanged(served: RestEntryPoint, tmp_path: Path) -> None:
    """The Python and TypeScript blocks after the client of the quick start."""
    lines = _shell(tmp_path, PLANNING).splitlines()
    milestone, (agenda, end) = json.loads(lines[0]), json.JSONDecoder().raw_decode(lines[1])
    assert (milestone["title"], agenda["items"]) == ("Evaluate the spectra", [])
    [lab] = json.loads(lines[1][end:])["data"]
    assert lab["id"] == milestone["item_id"]
    made = [(item["kind"], item["due_on"]) for item in served.made("list_items")["data"]]
    assert made == [("lab", "2031-03-14")]
    printed = "1 Evaluate the spectra\n"
    assert _python(tmp_path, blocks("python")[CLIENT], *blocks("python", PLANNING)) == (
        f"{printed}0 ['Lab report', 'Lab report']\nTrue\n"
    )
    assert _typescript(tmp_path, blocks("ts")[CLIENT], *blocks("ts", PLANNING)) == (
        f'{printed}0 ["Lab report","Lab report","Lab report"]\ntrue\n'
    )
    assert [course["archived"] for course in served.made("list_courses")["data"]] == [True, True, True]


@pytest.mark.rest
@pytest.mark.django_db(transaction=True)
def test_every_block_about_grades_runs_unchanged(served: RestEntryPoint, tmp_path: Path) -> None:
    score, grades = map(json.loads, _shell(tmp_path, GRADES).split("\n"))
    assert (score["label"], score["score"]) == ("Homework 1", 92)
    assert (grades["current_grade"], grades["outlook"]["remaining_weight"]) == (92, 60)
    printed = "88 takes 85.33 in the final\n"
    assert _python(tmp_path, blocks("python")[CLIENT], *blocks("python", GRADES)) == printed
    assert _typescript(tmp_path, blocks("ts")[CLIENT], *blocks("ts", GRADES)) == printed


@pytest.mark.rest
@pytest.mark.django_db(transaction=True)
def test_every_block_about_practice_runs_unchanged(served: RestEntryPoint, tmp_path: Path) -> None:
    card, stats = map(json.loads, _shell(tmp_path, PRACTICE).split("\n"))
    assert card["term"] == "osmosis"
    assert (stats["by_day"][-1]["attempts"], stats["streak"]["current"]) == (1, 1)
    assert _python(tmp_path, blocks("python")[CLIENT], *blocks("python", PRACTICE)) == "2 1\n"
    assert _typescript(tmp_path, blocks("ts")[CLIENT], *blocks("ts", PRACTICE)) == "3 1\n"


class Script:
    """A server with prepared answers, each a status and a `Retry-After`. It records requests."""

    def __init__(self) -> None:
        self.answers: list[tuple[int, str]] = []
        self.got: list[str] = []
        self.keys: list[str | None] = []
        self.pages: list[bytes] = []
        """Bodies of its successes, followed by pages without items."""

    def answer(self, *answers: int | tuple[int, str]) -> None:
        self.answers = [(answer, "") if isinstance(answer, int) else answer for answer in answers]


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Iterator[Script]:
    """The scripted server, at the origin that the page's clients use."""
    script = Script()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:  # the method name that http.server expects
            script.got.append(self.command)
            script.keys.append(self.headers["Idempotency-Key"])
            status, retry_after = script.answers.pop(0)
            if status:
                self.send_response(status)
                self.send_header("Retry-After", retry_after)
                self.end_headers()
                if status >= 400:
                    self.wfile.write(REFUSAL)
                else:
                    self.wfile.write(script.pages.pop(0) if script.pages else PAGE_WITHOUT_ITEMS)

        do_POST = do_PUT = do_PATCH = do_DELETE = do_GET  # noqa: N815  # the names that http.server calls

        def log_message(self, *args: Any) -> None:
            """Log nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        monkeypatch.setenv("STUDY_URL", f"http://127.0.0.1:{server.server_address[1]}")
        monkeypatch.setenv("STUDY_API_KEY", "svc_sk_example")
        yield script
        server.shutdown()
        thread.join()


@pytest.fixture
def study(script: Script, tmp_path: Path) -> Any:
    """The page's Python client."""
    file = tmp_path / "study.py"
    file.write_text(blocks("python")[CLIENT])
    spec = importlib.util.spec_from_file_location("study", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def waited(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The waits that a client asked for, in seconds. They are not performed."""
    seconds: list[float] = []
    monkeypatch.setattr(time, "sleep", seconds.append)
    return seconds


@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE"])
def test_a_client_waits_and_retries_as_advised(script: Script, study: Any, waited: list[float], method: str) -> None:
    """Spec, Client behaviour advised. Status 0 is a broken connection."""
    script.answer((429, "17"), 503, 0, 500, 200)
    assert study.call(method, "/v1/items") == {"data": [], "next_cursor": None}
    assert waited == [17, 1, 2, 4]
    script.answer(500, 500, 500, 500)
    with pytest.raises(study.Refused, match="told"):
        study.call(method, "/v1/items")
    assert script.got == [method] * 9


def test_a_client_retries_a_post_only_with_its_key(script: Script, study: Any, waited: list[float]) -> None:
    """Spec, Client behaviour advised: never blindly. 409 with `Retry-After` means the first try still runs."""
    script.answer((409, "1"), 500, (429, "3"), 0, 201, 201)
    study.call("POST", "/v1/courses", {})
    assert (script.got, waited) == (["POST"] * 5, [1, 1, 3, 2])
    study.call("POST", "/v1/courses", {})
    first, *again, other = script.keys
    assert [first] * 4 == again
    assert None not in {first, other}
    assert first != other


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 409, 422])
def test_a_client_does_not_retry_permanent_errors(script: Script, study: Any, waited: list[float], status: int) -> None:
    """A 403 may also be `membership_required`."""
    script.answer(status)
    with pytest.raises(study.Refused, match="told"):
        study.call("GET", "/v1/items")
    assert (script.got, waited) == (["GET"], [])


def test_the_typescript_client_retries_too(script: Script, tmp_path: Path) -> None:
    script.answer((429, "0"), 503, 200)
    assert _typescript(tmp_path, *blocks("ts")[CLIENT:]) == ""
    assert (script.got, script.keys) == (["GET"] * 3, [None] * 3)


def test_the_typescript_client_retries_a_post_with_its_key(script: Script, tmp_path: Path) -> None:
    script.answer((409, "0"), 503, 201)
    _typescript(tmp_path, blocks("ts")[CLIENT], 'await call("POST", "/v1/courses", {});')
    [key] = set(script.keys)
    assert (script.got, bool(key)) == (["POST"] * 3, True)


def test_a_poller_keeps_the_latest_version_of_a_repeated_item(script: Script, tmp_path: Path) -> None:
    """As for an item that changes between two pages."""

    def page(next_cursor: str | None, *items: tuple[str, str]) -> bytes:
        data = [
            {"id": id_, "title": title, "kind": "exam", "due_on": None, "created_at": f"2030-09-0{id_}T00:00:00Z"}
            for id_, title in items
        ]
        return json.dumps({"data": data, "has_more": bool(next_cursor), "next_cursor": next_cursor}).encode()

    script.pages = [page("more", ("1", "Midterm"), ("2", "Final")), page(None, ("1", "Moved midterm"))] * 2
    script.answer(200, 200, 200, 200)
    assert _python(tmp_path, *blocks("python")[CLIENT:]) == "None exam Moved midterm\nNone exam Final\n"
    assert _typescript(tmp_path, *blocks("ts")[CLIENT:]) == "null exam Moved midterm\nnull exam Final\n"
