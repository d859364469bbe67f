"""`python -m tests.support.matrix [ARGUMENTS]`: run the suite on each supported Python and the oldest PostgreSQL.

Each Python has its own virtual environment in `.venv-3.x` with the locked packages, and runs the suite on SQLite. The
oldest PostgreSQL runs its half with this Python. `ARGUMENTS` are passed to pytest, `-n auto` by default. Missing
versions are listed and never reported as passed. They fail the run only if `NO_SKIPS` is set.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests import ROOT

PYTHONS = ("3.11", "3.12", "3.13", "3.14")
OLDEST_POSTGRESQL = 15
_PLACES = ("/usr/lib/postgresql/{}/bin", "/usr/pgsql-{}/bin", "/opt/homebrew/opt/postgresql@{}/bin")
PASSED, FAILED, NOT_FOUND = "passed", "FAILED", "NOT FOUND, not tried"


def main(arguments: list[str]) -> int:
    """Run all combinations. Return the exit status."""
    arguments = arguments or ["-n", "auto", "--dist", "worksteal"]
    found = {f"Python {version}, SQLite": _on_python(version, arguments) for version in PYTHONS}
    found[f"PostgreSQL {OLDEST_POSTGRESQL}"] = _on_postgresql(arguments)
    sys.stdout.writelines(f"{what}: {outcome}\n" for what, outcome in found.items())
    bad = {FAILED} | ({NOT_FOUND} if os.environ.get("NO_SKIPS") else set())
    return int(not bad.isdisjoint(found.values()))


def _on_python(version: str, arguments: list[str]) -> str:
    python = _python(version)
    if python is None:
        return NOT_FOUND
    own = ROOT / f".venv-{version}"
    bin_ = own / "bin" / "python"
    if not bin_.exists():
        subprocess.run([python, "-m", "venv", own], check=True)
    install = [str(bin_), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--require-hashes"]
    if subprocess.run([*install, "-r", "requirements/dev.txt"], cwd=ROOT, check=False).returncode:
        return FAILED
    return _outcome([bin_, "-m", "pytest", "--database", "sqlite", *arguments])


def _python(version: str) -> str | None:
    """Return a Python of that version that starts. A shim may exist for a version that is not installed."""
    shims = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates = [shutil.which(f"python{version}"), *map(str, shims.glob(f"{version}.*/bin/python"))]
    asked = "import sys, venv; print('%d.%d' % sys.version_info[:2])"
    for candidate in filter(None, candidates):
        done = subprocess.run([candidate, "-c", asked], capture_output=True, check=False, text=True)
        if done.stdout.strip() == version:
            return candidate
    return None


def _on_postgresql(arguments: list[str]) -> str:
    places = (Path(place.format(OLDEST_POSTGRESQL)) for place in _PLACES)
    programs = next((place for place in places if (place / "initdb").exists()), None)
    if programs is None:
        return NOT_FOUND
    with _postgresql(programs) as url:
        command = [sys.executable, "-m", "pytest", "--database", "postgresql", *arguments]
        return _outcome(command, TEST_DATABASE_URL=url)


@contextmanager
def _postgresql(programs: Path) -> Iterator[str]:
    """The URL of a new server behind a socket. Root starts it as `postgres`, as PostgreSQL refuses root."""
    with tempfile.TemporaryDirectory(prefix="studyservice-postgresql-") as name:
        directory, user = Path(name), "postgres" if os.geteuid() == 0 else None
        if user:
            shutil.chown(directory, user)
        data = str(directory / "data")

        def run(program: str, *arguments: str) -> None:
            subprocess.run(
                [programs / program, "-D", data, *arguments], user=user, cwd=directory, check=True,
                stdout=subprocess.DEVNULL,
            )  # fmt: skip

        run("initdb", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale", "C.UTF-8", "--no-sync")
        directory.chmod(0o755)
        listens = f"-c listen_addresses= -c unix_socket_directories={directory} -c fsync=off -c max_connections=300"
        run("pg_ctl", "-w", "-l", str(directory / "log"), "-o", listens, "start")
        try:
            yield f"postgresql://postgres@/postgres?host={directory}"
        finally:
            run("pg_ctl", "-w", "-m", "fast", "stop")


def _outcome(command: Sequence[str | Path], **variables: str) -> str:
    done = subprocess.run(command, cwd=ROOT, env=os.environ | variables, check=False)
    return PASSED if done.returncode == 0 else FAILED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
