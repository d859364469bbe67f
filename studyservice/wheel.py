"""A hook of the package build: add the guides and the static files."""

import os
import secrets
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ServedFilesHook(BuildHookInterface[Any]):
    """Adds the guides' Markdown and the static files, collected with hashed names.

    hatchling loads this file by its path, and cannot import the packages beside it.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add them. An editable installation serves those of its checkout instead."""
        self._collected = TemporaryDirectory(prefix="staticfiles-")
        if version == "editable":
            return
        sys.path.insert(0, self.root)
        from studyservice.guides.catalog import CARRIED, CHANGELOG, GUIDES  # noqa: PLC0415  # from the path above

        _collect(self._collected.name)
        build_data["force_include"] |= {self._collected.name: "studyservice/staticfiles"} | {
            str(Path(self.root) / guide.source): f"{CARRIED}/{guide.slug}.md" for guide in (*GUIDES, CHANGELOG)
        }

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the temporary files, which are now in the package."""
        self._collected.cleanup()


def _collect(directory: str) -> None:
    """Run `collectstatic` into `directory`, with settings just for this command."""
    os.environ |= {
        "DJANGO_SETTINGS_MODULE": "studyservice.settings",
        "DATA_DIR": directory,
        "SECRET_KEY": secrets.token_urlsafe(64),
        "BASE_URL": "http://127.0.0.1:8000",
        "EMAIL_URL": "consolemail://",
    }
    import django  # noqa: PLC0415  # the settings are read now
    from django.conf import settings  # noqa: PLC0415
    from django.core.management import call_command  # noqa: PLC0415

    settings.STATIC_ROOT = directory
    django.setup()
    call_command("collectstatic", interactive=False, verbosity=0)
