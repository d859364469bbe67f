"""The recipes: each script runs unchanged and repeatedly, with the Python client, against a server."""

import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from accounts.credentials.keys import revoke_api_key
from accounts.models import ApiKey
from tests import ROOT
from tests.support import packages
from tests.support.between import Between, between
from tests.support.entry_points import RestEntryPoint

pytestmark = [
    pytest.mark.database("sqlite", "guides run unchanged"),
    pytest.mark.rest,
    pytest.mark.django_db(transaction=True),
]

NAMES = ["changed.py", "scores.py", "backup.py", "week.py", "words.py", "watch.py"]

Run = Callable[..., subprocess.CompletedProcess[str]]


def scripts() -> dict[str, str]:
    """The scripts of the page, by file name."""
    text = (ROOT / "docs" / "recipes.md").read_text(encoding="utf-8")
    return dict(zip(NAMES, re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL), strict=True))


@pytest.fixture
def way(live_server: Any, owner: RestEntryPoint, monkeypatch: pytest.MonkeyPatch) -> Iterator[Between]:
    """The proxy to the server. The environment contains its address and a key of the owner."""
    with between(live_server.url) as way:
        monkeypatch.setenv("STUDY_URL", way.url)
        monkeypatch.setenv("STUDY_API_KEY", owner.secret)
        monkeypatch.setenv("PYTHONPATH", str(packages.python_site()))
        monkeypatch.setenv("WATCH_SECONDS", "0.2")
        yield way


@pytest.fixture
def run(way: Between, tmp_path: Path) -> Run:
    """Runs a script of the page in its own directory."""
    for name, script in scripts().items():
        (tmp_path / name).write_text(script)

    def done(*command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *command], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
        )

    return done


def printed(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_each_recipe_names_its_script() -> None:
    text = (ROOT / "docs" / "recipes.md").read_text(encoding="utf-8")
    assert re.findall(r"^`python (\w+\.py)", text, re.MULTILINE) == [*NAMES[:3], "backup.py", *NAMES[3:]]
    assert len(scripts()) == len(NAMES)


def test_a_change_is_printed_once(owner: RestEntryPoint, run: Run) -> None:
    """The first run only remembers the current state."""
    assert printed(run("changed.py")) == ""
    course = owner.made("create_course", name="Botany")
    assert printed(run("changed.py")) == ""
    item = owner.made("create_item", course_id=course["id"], title="Midterm", due_on="2030-12-03")
    owner.made("update_item", item_id=item["id"], due_on="2030-12-05")
    updated, created = printed(run("changed.py")).splitlines()
    assert updated.endswith("test: update_item Midterm {'due_on': '2030-12-03'} {'due_on': '2030-12-05'}")
    assert "create_item Midterm {}" in created
    assert printed(run("changed.py")) == ""


SCORES = "course,category,label,score\n{course},Quizzes,Quiz 1,84.5\n{course},Quizzes,Quiz 2,90\n"


def test_scores_are_entered_once_and_corrected(owner: RestEntryPoint, course: Any, run: Run, tmp_path: Path) -> None:
    """The script stores no keys: it compares with the account."""
    owner.made("set_grade_categories", course_id=course["id"], categories=[{"name": "Quizzes", "weight": 40}])
    table = tmp_path / "scores.csv"
    table.write_text(SCORES.format(course=course["name"]), encoding="utf-8-sig")
    assert printed(run("scores.py", "scores.csv")) == "added Quiz 1\nadded Quiz 2\n"
    assert printed(run("scores.py", "scores.csv")) == ""
    table.write_text(SCORES.format(course=course["name"]).replace("84.5", "86"))
    assert printed(run("scores.py", "scores.csv")) == "corrected Quiz 1\n"
    [category] = owner.made("get_grades", course_id=course["id"])["categories"]
    assert [(score["label"], score["score"]) for score in category["scores"]] == [("Quiz 1", 86), ("Quiz 2", 90)]


@pytest.mark.parametrize("wrong", ["No such course: Botany", "Line 4: Botany has no category Labs."])
def test_a_wrong_name_prevents_writing_scores(owner: RestEntryPoint, run: Run, tmp_path: Path, wrong: str) -> None:
    course = owner.made("create_course", name="Zoology" if "No such" in wrong else "Botany")
    owner.made("set_grade_categories", course_id=course["id"], categories=[{"name": "Quizzes", "weight": 40}])
    table = SCORES.format(course=course["name"]) + "Botany,Labs,Lab 1,70\n"
    (tmp_path / "scores.csv").write_text(table)
    done = run("scores.py", "scores.csv")
    assert (done.returncode, done.stderr) == (1, f"{wrong}\n")
    assert owner.made("get_grades", course_id=course["id"])["categories"][0]["scores"] == []


def test_a_backup_is_restored_into_another_account(
    owner: RestEntryPoint, stranger: RestEntryPoint, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for day in range(1, 9):
        (tmp_path / f"study-2020-01-0{day}.zip").touch()
    owner.made("create_course", name="Botany", items=[{"title": "Midterm"}])
    name = printed(run("backup.py")).strip()
    kept = sorted(file.name for file in tmp_path.glob("study-*"))
    assert kept == [*(f"study-2020-01-0{day}.zip" for day in range(3, 9)), name]
    monkeypatch.setenv("STUDY_API_KEY", stranger.secret)
    assert "'courses': 1" in printed(run("backup.py", "restore", name))
    assert [item["title"] for item in stranger.made("list_items")["data"]] == ["Midterm"]


def test_the_week_is_a_table_with_grades(owner: RestEntryPoint, course: Any, run: Run) -> None:
    today = date.fromisoformat(owner.made("get_me")["today"])
    made = owner.made("set_grade_categories", course_id=course["id"], categories=[{"name": "Quizzes", "weight": 40}])
    category_id = made["categories"][0]["id"]
    due = today + timedelta(days=2)
    owner.made("create_item", course_id=course["id"], title="Quiz 2", due_on=due.isoformat(), category_id=category_id)
    owner.made("add_grade_score", course_id=course["id"], category_id=category_id, label="Quiz 1", score=92)
    *_, row, _, overdue = printed(run("week.py")).splitlines()
    assert re.fullmatch(rf"\| {due:%a %d %b} \| {course['name']} \| Quiz 2 \| [\d.]+% \| 92 \(A-\) \|", row)
    assert overdue == "Nothing overdue."


def test_words_are_merged(owner: RestEntryPoint, run: Run, tmp_path: Path) -> None:
    table = tmp_path / "organelles.tsv"
    table.write_text("Ribosome\tMakes proteins\nNucleus\tHolds DNA\n")
    assert printed(run("words.py", "organelles.tsv")) == "organelles: 2 cards, 2 due\n"
    table.write_text("Ribosome\tBuilds proteins\nNucleus\tHolds DNA\nVacuole\tStores water\n")
    assert printed(run("words.py", "organelles.tsv")) == "organelles: 3 cards, 3 due\n"
    [deck] = owner.made("list_vocab_decks")["data"]
    found = owner.made("list_vocab_decks", deck_id=deck["id"], include_cards=True)["data"][0]["cards"]
    assert {card["term"]: card["definition"] for card in found}["Ribosome"] == "Builds proteins"


class Watcher:
    """The watcher as a process, with its output in two files."""

    def __init__(self, directory: Path) -> None:
        self.out, self.err = directory / "out", directory / "err"
        with self.out.open("w") as out, self.err.open("w") as err:
            self.process = subprocess.Popen([sys.executable, "watch.py"], cwd=directory, stdout=out, stderr=err)

    def printed(self, text: str, *, file: Path | None = None) -> None:
        """Wait until it has printed `text`."""
        ends = time.monotonic() + 30
        while text not in (file or self.out).read_text():
            assert time.monotonic() < ends, (self.out.read_text(), self.err.read_text())
            assert self.process.poll() is None, self.err.read_text()
            time.sleep(0.05)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@pytest.mark.thorough("a process for each interruption; the recipes run in the tests above")
def test_the_watcher_survives_everything_except_a_revoked_key(
    owner: RestEntryPoint, course: Any, run: Run, way: Between, tmp_path: Path
) -> None:
    """A crash, a rate limit, an error, and a connection lost for longer than the client retries; then a revoked key."""
    owner.made("create_item", course_id=course["id"], title="Midterm")
    watcher = Watcher(tmp_path)
    try:
        watcher.printed("Midterm")
        while not (tmp_path / "watch.json").exists():
            time.sleep(0.05)
        watcher.kill()
        owner.made("create_item", course_id=course["id"], title="Essay")
        watcher = Watcher(tmp_path)
        watcher.printed("Essay")
        assert "Midterm" not in watcher.out.read_text()
        way.faults = [(429, "0"), (503, "0"), *["cut"] * 4]
        watcher.printed("No connection", file=watcher.err)
        owner.made("create_item", course_id=course["id"], title="Quiz")
        watcher.printed("Quiz")
        revoke_api_key(ApiKey.objects.get(secret_hash__isnull=False, member__email="owner@example.org"))
        assert watcher.process.wait(30) == 1
        assert "Stopped: 401 unauthorized: This API key was revoked." in watcher.err.read_text()
        assert watcher.out.read_text().count("Quiz") == 1
    finally:
        watcher.kill()


def test_the_watcher_waits_as_long_as_requested(course: Any, run: Run, way: Between, tmp_path: Path) -> None:
    """Longer than the client waits on its own."""
    way.faults = [(429, "3600")]
    watcher = Watcher(tmp_path)
    try:
        watcher.printed("next try in 3600 seconds", file=watcher.err)
    finally:
        watcher.kill()
    assert not (tmp_path / "watch.json").exists()
