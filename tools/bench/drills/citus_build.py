"""Build Citus from its public source against this machine's PostgreSQL 15, without changing that.

`CITUS_SOURCE` names a git repository that has the release. The build is kept in `DATA_DIR`. The extension and the
PostgreSQL that loads it are in a separate directory. PostgreSQL finds its files relative to its programs, so these are
copied, and the rest is linked.
"""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tools.bench.servers import ROOT

RELEASE = "v13.2.2"
SOURCE = "CITUS_SOURCE"
POSTGRESQL = "15"

_BUILD_SECONDS = 1800
_COMPATIBILITY = Path("src/include/pg_version_compat.h")
_SINCE_15_18 = "static inline bool\nhave_createdb_privilege(void)\n"
"""PostgreSQL has this function since 15.18, so the release's own one no longer compiles."""


class UnavailableError(Exception):
    """The machine lacks something that the drill needs."""


@dataclass(frozen=True, slots=True)
class _Machine:
    """The version and directories that `pg_config` prints."""

    program: str
    version: str
    bin: Path
    lib: Path
    share: Path


def installation(directory: Path) -> Path:
    """Install a PostgreSQL with Citus in `directory`, or raise `UnavailableError`. Return its program directory."""
    machine = _machine()
    built = _built(machine)
    for path in (machine.lib, machine.share):
        shutil.copytree(path, _below(directory, path), copy_function=os.symlink)
    shutil.copytree(machine.bin, _below(directory, machine.bin))
    _make(built, "install-extension", f"DESTDIR={directory}")
    return _below(directory, machine.bin)


def _below(directory: Path, path: Path) -> Path:
    return directory / path.relative_to("/")


def _machine() -> _Machine:
    program = shutil.which("pg_config")
    if program is None:
        raise UnavailableError("there is no pg_config")
    said = ("--version", "--bindir", "--pkglibdir", "--sharedir", "--pgxs")
    version, *paths = (subprocess.check_output([program, one], text=True).strip() for one in said)
    version = version.split()[1]
    if version.partition(".")[0] != POSTGRESQL or not Path(paths[-1]).exists():
        raise UnavailableError(f"pg_config is of PostgreSQL {version}; {POSTGRESQL} with its headers is needed")
    return _Machine(program, version, *map(Path, paths[:-1]))


def _built(machine: _Machine) -> Path:
    """Compile the source, unless already compiled."""
    source = os.environ.get(SOURCE)
    if not source:
        raise UnavailableError(f"{SOURCE} does not name a git repository of Citus")
    data = Path(os.environ.get("DATA_DIR", ROOT / "var"))
    built = data / "citus" / f"{RELEASE}-{machine.version}"
    done = built / "built"
    if not done.exists():
        shutil.rmtree(built, ignore_errors=True)
        built.mkdir(parents=True)
        _unpack(Path(source), built)
        _make_fit(built / _COMPATIBILITY)
        _run(built, "./configure", "--without-libcurl", "--with-extra-version=", f"PG_CONFIG={machine.program}")
        _make(built, f"-j{len(os.sched_getaffinity(0))}", "extension")
        done.touch()
    return built


def _unpack(source: Path, target: Path) -> None:
    """Extract the release from git, even if another user owns the repository."""
    archive = target / "source.tar"
    git = ["git", "-c", "safe.directory=*", "-C", str(source), "archive", f"--output={archive}", RELEASE]
    done = subprocess.run(git, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise UnavailableError(f"{SOURCE} has no release {RELEASE}: {done.stderr.strip()}")
    unpack = ["tar", "-xf", str(archive), "-C", str(target)]
    subprocess.run(unpack, check=True)
    archive.unlink()


def _make_fit(header: Path) -> None:
    """Remove a function that PostgreSQL now has itself."""
    before, found, after = header.read_text().partition(_SINCE_15_18)
    _, _, after = after.partition("\n}\n")
    if not found:
        raise UnavailableError(f"{header.name} of {RELEASE} is not as it was")
    header.write_text(before + after)


def _make(built: Path, *arguments: str) -> None:
    _run(built, "make", "--silent", "with_llvm=no", *arguments)  # bitcode is only for the JIT, and slow to build


def _run(directory: Path, *command: str) -> None:
    """Run a step of the build with low priority and its output in `log`."""
    with (directory / "log").open("ab") as log:
        done = subprocess.run(
            ["/usr/bin/nice", "-n", "10", *command],
            cwd=directory,
            stdout=log,
            stderr=log,
            timeout=_BUILD_SECONDS,
            check=False,
        )
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}:\n{(directory / 'log').read_text(errors='replace')[-2000:]}")
