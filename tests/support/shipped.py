"""Shipped files, run without the repository: those of the image, and those of the package."""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from docker.utils.build import exclude_paths

from studyservice.guides.catalog import GUIDES
from tests import ROOT
from tests.support.forked import Forked, Process
from tests.support.server import wait_for
from tools.release import package

PAGES = (*package.PAGES, *(f"/docs/{guide.slug}" for guide in GUIDES))
"""Pages whose files must be shipped."""


def admitted(root: Path = ROOT) -> list[str]:
    """The files below `root` that the repository's `.dockerignore` admits to the image."""
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    rules = [line for line in lines if line and not line.startswith("#")]
    # The library adds these two, which its way to send the files needs.
    found = exclude_paths(str(root), rules) - {"Dockerfile", ".dockerignore"}
    return sorted(name for name in found if (root / name).is_file())


def copy_admitted(directory: Path) -> None:
    """Copy the files of the image into `directory`, as `COPY . ./` does."""
    for name in admitted():
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, directory / name)


@contextmanager
def serving(root: Path, program: list[str], environment: Mapping[str, str]) -> Iterator[tuple[str, Process]]:
    """Run a server with the code in `root` only. Its origin, and the process."""
    process = Forked(program, environment, Path(environment["DATA_DIR"]) / "server.log", root=root)
    try:
        wait_for(origin := f"http://127.0.0.1:{environment['PORT']}", process)
        yield origin, process
    finally:
        process.terminate()
        process.wait(timeout=60)


def status(url: str) -> int:
    """The status of a page that the proxy requests."""
    request = Request(url, headers={"Host": "study.example.org", "X-Forwarded-Proto": "https"})  # noqa: S310  # loopback
    try:
        with urlopen(request, timeout=30) as answer:  # noqa: S310  # the same
            return int(answer.status)
    except HTTPError as error:
        return error.code
