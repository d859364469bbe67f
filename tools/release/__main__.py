"""`python -m tools.release [--package-only]`: check a release, and print the remaining manual steps."""

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from studyservice import __version__
from tools.release import package
from tools.release.changelog import NotReleasableError, newest, require_new
from tools.release.package import BrokenPackageError

ROOT = Path(__file__).resolve().parents[2]
DIST = ROOT / "dist"

REMAINING = """
Remaining manual steps:

  1. make test-all and make drills, and make bench where speed matters.
  2. git tag --annotate v{version} --message "{version}" && git push origin v{version}
  3. Publish {wheel} with this text:

{text}

  4. Build the image: docker build --tag study-data-service:{version} .
  5. Upgrade your own installation first (docs/operating.md, Upgrading), and run `checkinstall` there.
  6. Before a /v2: `announce`, six months ahead.
  7. Write the commit and the last migration of each app into tests/support/releases.py.
"""


def main() -> None:
    """Stop at the first check that fails."""
    parser = argparse.ArgumentParser(prog="make release", description=__doc__)
    parser.add_argument("--package-only", action="store_true", help="try the package of a version that is not released")
    only = parser.parse_args().package_only
    try:
        if only:
            _try_package(__version__)
            return
        version, _, text = newest((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
        require_new(version, ROOT)
        _say(f"{version} is new.")
        wheel = _try_package(version)
    except (NotReleasableError, BrokenPackageError) as error:
        sys.exit(f"Not released: {error}")
    indented = "\n".join(f"     {line}".rstrip() for line in text.splitlines())
    _say(REMAINING.format(version=version, wheel=wheel.relative_to(ROOT), text=indented))


def _try_package(version: str) -> Path:
    wheel = package.build(ROOT, DIST, version)
    _say(f"Built {wheel.relative_to(ROOT)}.")
    with TemporaryDirectory(prefix="release-") as empty:
        directory = Path(empty)
        command = package.install(wheel, directory / "venv")
        _say("Installed it in an empty environment.")
        data = directory / "data"
        data.mkdir(mode=0o700)
        given = package.environment(data)
        package.require_deployable(command, given)
        _say("Migrated; `check --deploy` reports no problems.")
        opened = package.require_pages(command, given, version)
        _say(f"Opened {opened} pages, scripts and styles.")
    return wheel


def _say(text: str) -> None:
    print(text, flush=True)  # noqa: T201  # output of a command


if __name__ == "__main__":
    main()
