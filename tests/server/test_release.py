"""Releases: the changelog lists them, the version is read from it, and `make release` refuses what is not ready."""

import re
import shutil
import subprocess
import sys
import tomllib
from datetime import date
from pathlib import Path

import pytest
import yaml
from packaging.version import Version

from tests import ROOT
from tests.support.cases import each
from tools.release.changelog import NotReleasableError, newest, require_new

pytestmark = pytest.mark.database("sqlite", "changelog and git")

CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
RELEASE = "# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-11-21\n\n- New.\n\n## [0.1.0] - 2026-11-20\n\n- First.\n"


def test_every_heading_is_a_release_with_the_newest_first() -> None:
    """From 0.1.0 on, each with its release date, after the unreleased changes."""
    unreleased, *headings = re.findall(r"^## (.+)$", CHANGELOG, re.MULTILINE)
    assert unreleased == "[Unreleased]"
    found = [re.fullmatch(r"\[(\d+)\.(\d+)\.(\d+)\] - (\d{4}-\d{2}-\d{2})", heading) for heading in headings]
    releases = [(date.fromisoformat(one[4]), *map(int, one.groups()[:3])) for one in found if one]
    assert len(releases) == len(headings)
    assert releases == sorted(releases, reverse=True)
    assert releases[-1][1:] == (0, 1, 0)


UNRELEASED = RELEASE.replace("[Unreleased]\n", "[Unreleased]\n\n- Later.\n")


def version_of(checkout: Path, changelog: str) -> str:
    """The version that the service has in a checkout with this changelog."""
    (checkout / "CHANGELOG.md").write_text(changelog)
    (checkout / "studyservice").mkdir(exist_ok=True)
    shutil.copy(ROOT / "studyservice" / "__init__.py", checkout / "studyservice")
    told = [sys.executable, "-c", "import studyservice; print(studyservice.__version__)"]
    return subprocess.run(told, cwd=checkout, check=True, capture_output=True, text=True).stdout.strip()


def git(checkout: Path, *arguments: str) -> str:
    """The output of git."""
    named = ["-c", "user.name=ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false"]
    run = ["/usr/bin/env", "git", *named, *arguments]
    return subprocess.run(run, cwd=checkout, check=True, capture_output=True, text=True).stdout.strip()


def test_a_release_has_the_version_of_its_heading(tmp_path: Path) -> None:
    assert version_of(tmp_path, RELEASE) == "0.2.0"


def test_between_releases_the_version_is_the_next_with_the_commit(tmp_path: Path) -> None:
    """So every build has its own."""
    git(tmp_path, "init")
    git(tmp_path, "commit", "--allow-empty", "--message", "first")
    first = version_of(tmp_path, UNRELEASED)
    assert first == f"0.3.0.dev0+{git(tmp_path, 'rev-parse', '--short=12', 'HEAD')}"
    git(tmp_path, "commit", "--allow-empty", "--message", "second")
    assert version_of(tmp_path, UNRELEASED) != first
    assert Version("0.2.0") < Version(first) < Version("0.3.0")


def test_between_releases_without_git_the_version_has_no_commit(tmp_path: Path) -> None:
    """Not that of a repository around it either."""
    git(tmp_path, "init")
    git(tmp_path, "commit", "--allow-empty", "--message", "first")
    (tmp_path / "unpacked").mkdir()
    assert version_of(tmp_path / "unpacked", UNRELEASED) == "0.3.0.dev0"


def test_no_page_names_a_tag() -> None:
    """`git clone --branch` fails for a tag that does not exist."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    assert [page.name for page in pages if re.search(r"\bv\d+\.\d+\.\d+", page.read_text(encoding="utf-8"))] == []


def test_each_release_explains_how_to_upgrade() -> None:
    """Except the first, to which nobody upgrades."""
    texts = re.split(r"^## \[\d.+$", CHANGELOG, flags=re.MULTILINE)[1:-1]
    assert all("\n### When upgrading\n\n- " in text for text in texts)


def test_the_newest_release_is_read_with_its_text() -> None:
    assert newest(RELEASE) == ("0.2.0", date(2026, 11, 21), "- New.")


@each(
    ("wrong", "told"),
    [
        (UNRELEASED, "unreleased entries"),
        (RELEASE.replace("0.2.0] - 2026-11-21", "0.2.0]"), "0.2.0 is not"),
        (RELEASE.replace("0.2.0", "0.2"), "0.2 is not"),
        (RELEASE.replace("2026-11-21", "2999-01-01"), "in the future"),
        ("# Changelog\n", "no release"),
    ],
)
def test_an_invalid_release_is_rejected(wrong: str, told: str) -> None:
    with pytest.raises(NotReleasableError, match=told):
        newest(wrong)


def test_ci_tests_each_supported_python() -> None:
    """With the commands of the Makefile, so that developers can run the same."""
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    promised = [name.rpartition(" ")[2] for name in project["classifiers"] if ":: Python ::" in name]
    assert workflow["jobs"]["test"]["strategy"]["matrix"]["python"] == promised
    run = [[step["run"] for step in job["steps"] if "run" in step][-1] for job in workflow["jobs"].values()]
    assert run == ["make test", "make release-check"]


def test_a_tagged_or_older_version_is_rejected(tmp_path: Path) -> None:
    """Also a tree with changes."""
    git(tmp_path, "init")
    git(tmp_path, "commit", "--allow-empty", "--message", "first")
    require_new("0.9.0", tmp_path)
    git(tmp_path, "tag", "v0.10.0")
    for version in ("0.9.0", "0.10.0"):
        with pytest.raises(NotReleasableError, match=r"v0\.10\.0 is tagged"):
            require_new(version, tmp_path)
    require_new("0.10.1", tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(NotReleasableError, match=r"Commit or remove these first:\n\?\? file"):
        require_new("0.10.1", tmp_path)
