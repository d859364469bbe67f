"""The static files collected by `collectstatic`. A page that uses a missing one fails."""

from django.contrib.staticfiles.apps import StaticFilesConfig
from django.contrib.staticfiles.finders import get_finders
from django.contrib.staticfiles.storage import staticfiles_storage


class MissingStaticFilesError(Exception):
    """Static files of this version were not collected."""


def require_static_files() -> None:
    """Compare the files of the installed apps with the collected ones, by name.

    Raises:
        MissingStaticFilesError: some are missing.
    """
    names = {name for finder in get_finders() for name, _ in finder.list(StaticFilesConfig.ignore_patterns)}
    missing = sorted(name for name in names if not _is_collected(name))
    if missing:
        raise MissingStaticFilesError(f"{len(missing)} of {len(names)}, such as {missing[0]}")


def _is_collected(name: str) -> bool:
    hashed: dict[str, str] | None = getattr(staticfiles_storage, "hashed_files", None)  # a process reads it once
    stored = name if hashed is None else hashed.get(name, "")
    return bool(stored) and staticfiles_storage.exists(stored)
