"""The project: settings, URLs, and the packages that all apps build on."""

import re
import subprocess
from importlib.metadata import version
from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent
_CHANGELOG = _ROOT / "CHANGELOG.md"
_NEWEST = re.compile(r"^## \[Unreleased\]\n(.*?)^## \[(\d+)\.(\d+)\.(\d+)\] - ", re.MULTILINE | re.DOTALL)


def _version() -> str:
    """Return the newest release in the changelog or, for an installed package, the version in its metadata.

    With unreleased changes it is the next minor version and the commit, like `0.7.0.dev0+9f8c21d04b7e` (PEP 440), so
    that installing a build replaces an earlier one.
    """
    if not _CHANGELOG.exists():
        return version("study-data-service")
    [(changes, major, minor, patch)] = _NEWEST.findall(_CHANGELOG.read_text(encoding="utf-8"))
    if not changes.strip():
        return f"{major}.{minor}.{patch}"
    return f"{major}.{int(minor) + 1}.0.dev0{_commit()}"


def _commit() -> str:
    """Return `+` and the commit of the checkout, or nothing without git."""
    git = ["git", f"--git-dir={_ROOT / '.git'}", "rev-parse", "--short=12", "HEAD"]
    try:
        commit = subprocess.run(git, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603  # fixed
    except (OSError, subprocess.CalledProcessError):  # without git, or not a checkout
        return ""
    return f"+{commit.lstrip('0') if commit.isdigit() else commit}"  # PEP 440 reads digits as a number


__version__ = _version()
"""The version of the service. The API's version is `settings.API_VERSION`."""
