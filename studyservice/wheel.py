"""A hook of the package build: add the rendered guides and the static files."""

import os
import secrets
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ServedFilesHook(BuildHookInterface[Any]):
    """Renders the guides and collects the static files, with hashed names, before the package is built.

    hatchling loads this file by its path, and cannot import the packages beside it.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Render and collect them. An editable installation serves its checkout's `collectstatic` output instead."""
        sys.path.insert(0, self.root)
        from studyservice.guides.building import build  # noqa: PLC0415  # from the path above

        build(Path(self.root))
        self._collected = TemporaryDirectory(prefix="staticfiles-")
        if version != "editable":
            _collect(self._collected.name)
            build_data["force_include"][self._collected.name] = "studyservice/staticfiles"

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
