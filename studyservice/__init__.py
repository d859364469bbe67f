"""The project: settings, addresses, and the ground that every operation stands on, in packages."""

import re
from importlib.metadata import version
from pathlib import Path

_CHANGELOG = Path(__file__).resolve().parent.parent / "CHANGELOG.md"


def _version() -> str:
    """Return the newest release in the changelog; an installed package has no changelog and knows its version."""
    if not _CHANGELOG.exists():
        return version("study-data-service")
    changelog = _CHANGELOG.read_text(encoding="utf-8")
    releases: list[str] = re.findall(r"^## \[(\d+\.\d+\.\d+)\] - ", changelog, re.MULTILINE)
    return releases[0]


__version__ = _version()
"""The version of the service. That of the API is `settings.API_VERSION`."""
