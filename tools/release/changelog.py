"""Read the newest release from the changelog, and check that it may be published."""

import re
import subprocess
from datetime import UTC, date, datetime
from pathlib import Path

_HEADING = re.compile(r"^## \[([^\]]+)\](?: - (\S+))?$", re.MULTILINE)

Version = tuple[int, ...]


class NotReleasableError(Exception):
    """The changelog or the repository is not ready. The message says what to do."""


def newest(changelog: str) -> tuple[str, date, str]:
    """Return version, day and text of the newest release.

    Raises:
        NotReleasableError: an entry is unreleased, or the heading is wrong.
    """
    headings = list(_HEADING.finditer(changelog))
    ends = [heading.start() for heading in headings[1:]] + [len(changelog)]
    texts = [changelog[heading.end() : end].strip() for heading, end in zip(headings, ends, strict=False)]
    if headings and headings[0][1] == "Unreleased":
        if texts[0]:
            raise NotReleasableError(
                "CHANGELOG.md has unreleased entries. Put a heading such as `## [0.9.0] - 2026-12-01` above them, and "
                "keep an empty `## [Unreleased]`."
            )
        headings, texts = headings[1:], texts[1:]
    if not headings:
        raise NotReleasableError("CHANGELOG.md has no release.")
    version, day = headings[0][1], headings[0][2]
    if not re.fullmatch(r"\d+\.\d+\.\d+", version) or not re.fullmatch(r"\d{4}-\d{2}-\d{2}", day or ""):
        raise NotReleasableError(f"The heading of {version} is not `## [X.Y.Z] - YYYY-MM-DD`.")
    released = date.fromisoformat(day)
    if released > datetime.now(UTC).date():
        raise NotReleasableError(f"{version} is dated {day}, which is in the future.")
    return version, released, texts[0]


def require_new(version: str, repository: Path) -> None:
    """Require a clean working tree, and a version above every tag.

    Raises:
        NotReleasableError: one of these is not true.
    """
    if changed := _git(repository, "status", "--porcelain"):
        raise NotReleasableError(f"Commit or remove these first:\n{changed}")
    tags = [_numbers(tag) for tag in _git(repository, "tag", "--list", "v*.*.*").split()]
    if tags and _numbers(version) <= max(tags):
        last = ".".join(map(str, max(tags)))
        raise NotReleasableError(f"{version} is not new: v{last} is tagged. Add a release to CHANGELOG.md.")


def _numbers(version: str) -> Version:
    return tuple(int(number) for number in re.findall(r"\d+", version)[:3])


def _git(repository: Path, *arguments: str) -> str:
    run = ["git", "-C", str(repository), *arguments]
    return subprocess.run(run, capture_output=True, text=True, check=True).stdout.strip()
