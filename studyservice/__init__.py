"""The project: settings, URLs, and the packages that all apps build on."""

import re
from importlib.metadata import version
from pathlib import Path

_CHANGELOG = Path(__file__).resolve().parent.parent / "CHANGELOG.md"


def _version() -> str:
    """Return the newest release in the changelog or, for an installed package, the version in its metadata."""
    if not _CHANGELOG.exists():
        return version("study-data-service")
    changelog = _CHANGELOG.read_text(encoding="utf-8")
    releases: list[str] = re.findall(r"^## \[(\d+\.\d+\.\d+)\] - ", changelog, re.MULTILINE)
    return releases[0]


__version__ = _version()
"""The version of the service. The API's version is `settings.API_VERSION`."""
