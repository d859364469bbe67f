"""Build the package, install it in an empty environment, and serve it as in production."""

import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.request import Request, urlopen

PAGES = ("/", "/sign-in", "/docs", "/docs/guides", "/docs/install-package", "/changelog", "/openapi.json")
START_SECONDS = 120


class BrokenPackageError(Exception):
    """The package does not work. The message says where."""


def build(repository: Path, directory: Path, version: str) -> Path:
    """Build the wheel of `version` into `directory` and return its path.

    Raises:
        BrokenPackageError: the build fails or has another version.
    """
    _run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(directory)], repository)
    wheel = directory / f"study_data_service-{version}-py3-none-any.whl"
    if not wheel.exists():
        raise BrokenPackageError(f"{wheel.name} was not built.")
    return wheel


def install(wheel: Path, venv: Path) -> Path:
    """Install the wheel into a new environment, as `docs/install-package.md` describes. Return its command."""
    _run([sys.executable, "-m", "venv", str(venv)], venv.parent)
    pip = [str(venv / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    _run([*pip, "--no-deps", str(wheel)], venv.parent)
    locked = venv / "share" / "study-data-service" / "requirements.txt"
    _run([*pip, "--require-hashes", "-r", str(locked)], venv.parent)
    return venv / "bin" / "study-data-service"


def environment(directory: Path) -> dict[str, str]:
    """Return the environment of an installation behind https, with SQLite in `directory`."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(directory),
        "DATA_DIR": str(directory),
        "SECRET_KEY": secrets.token_urlsafe(64),
        "BASE_URL": "https://study.example.org",
        "EMAIL_URL": f"filemail:///{directory}/mail",
        "TRUSTED_PROXIES": "1",
        "PORT": str(port),
    }


def require_deployable(command: Path, given: dict[str, str]) -> None:
    """Migrate, then require that `check --deploy` reports nothing.

    Raises:
        BrokenPackageError: it reports something.
    """
    manage = [str(command), "manage"]
    directory = Path(given["DATA_DIR"])
    _run([*manage, "migrate", "--verbosity", "0"], directory, given)
    _run([*manage, "check", "--deploy", "--fail-level", "WARNING"], directory, given)


def require_pages(command: Path, given: dict[str, str], version: str) -> int:
    """Serve, open every page and everything that it loads, and return the number of URLs.

    Raises:
        BrokenPackageError: a URL does not answer 200, or another version answers.
    """
    with serving([str(command), "serve"], given) as origin:
        ready = _get(f"{origin}/health/ready")
        if f'"version":"{version}"' not in ready:
            raise BrokenPackageError(f"/health/ready is not of {version}: {ready}")
        pages = [_get(origin + path) for path in PAGES]
        loaded = {name for page in pages for name in re.findall(r'(?:href|src)="(/static/[^"]+)"', page)}
        for name in sorted(loaded):
            _get(origin + name)
    return len(PAGES) + len(loaded)


@contextmanager
def serving(command: Sequence[str], given: dict[str, str]) -> Iterator[str]:
    """Run a server in its home directory, with its output in `printed` there. Yield its origin."""
    home = Path(given["HOME"])
    with (home / "printed").open("w") as printed:
        server = subprocess.Popen(command, cwd=home, env=given, stdout=printed, stderr=printed)
        try:
            origin = f"http://127.0.0.1:{given['PORT']}"
            _wait_for(f"{origin}/health/ready", server)
            yield origin
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(START_SECONDS)


def _wait_for(url: str, server: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        try:
            urlopen(url, timeout=5).close()  # noqa: S310  # http on loopback
        except OSError:  # refused, timed out, or 503
            time.sleep(0.2)
        else:
            return
    raise BrokenPackageError(f"The server is not ready after {START_SECONDS} seconds: {url}")


def _get(url: str) -> str:
    """Get it like the proxy."""
    request = Request(url, headers={"Host": "study.example.org", "X-Forwarded-Proto": "https"})  # noqa: S310  # as above
    try:
        with urlopen(request, timeout=30) as answer:  # noqa: S310  # as above
            return str(answer.read().decode(errors="replace"))
    except OSError as error:
        raise BrokenPackageError(f"{url}: {error}") from error


def _run(command: list[str], directory: Path, given: dict[str, str] | None = None) -> None:
    done = subprocess.run(command, cwd=directory, env=given, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BrokenPackageError(f"{' '.join(command)}:\n{done.stdout}{done.stderr}")
