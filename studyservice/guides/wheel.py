"""The hook of the build of the package, which then carries the guides as they are served (`pyproject.toml`)."""

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class GuidesHook(BuildHookInterface[Any]):
    """Renders the guides before files are collected."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling, which loads this file by its path and knows nothing of the packages beside it."""
        sys.path.insert(0, self.root)
        from studyservice.guides.building import build  # noqa: PLC0415  # from the path above

        build(Path(self.root))
