"""Build a client from docs/openapi.json: generated operations, the hand-written connection, and package metadata.

The generators are openapi-python-client, and openapi-typescript with the TypeScript compiler, in the versions locked
for the tests. The hand-written parts are `python/connection.py` and `typescript/index.ts`.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
DESCRIPTION = ROOT / "docs" / "openapi.json"
TOOLS = ROOT / "tests" / "clients"
"""The npm packages that are locked for the tests."""

CARRIED = ROOT / "studyservice" / "static" / "clients"
"""The service includes the Python client's wheel here, as a static file."""

NAME = "study-data-service-client"
MODULE = "study_data_service_client"

_FILES = "application/octet-stream"
_GENERATOR = {
    "project_name_override": NAME,
    "package_name_override": MODULE,
    "literal_enums": True,
    "content_type_overrides": {
        # Otherwise the generator omits a bare calendar file, and converts decks to text and then to bytes.
        "text/calendar": _FILES,
        "text/csv; charset=utf-8": _FILES,
        "text/tab-separated-values; charset=utf-8": _FILES,
    },
    "post_hooks": ["ruff check --no-cache --fix-only .", "ruff format --no-cache ."],
}
"""https://github.com/openapi-generators/openapi-python-client#configuration"""

_COMPILER = {
    "strict": True,
    "noUncheckedIndexedAccess": True,
    "declaration": True,
    "target": "es2022",
    "lib": ["es2022", "dom"],
    "types": [],
    "module": "nodenext",
    "verbatimModuleSyntax": True,
    "skipLibCheck": True,
}


def _version() -> str:
    """Return the version of the API, which both clients share."""
    version: str = json.loads(DESCRIPTION.read_text(encoding="utf-8"))["info"]["version"]
    return version


def build_python(directory: Path) -> None:
    """Write the Python project to `directory`, replacing it.

    Raises:
        CalledProcessError: the generator could not generate everything. Its messages were printed.
    """
    shutil.rmtree(directory, ignore_errors=True)
    binaries = Path(sys.executable).parent
    with tempfile.TemporaryDirectory() as temporary:
        config = Path(temporary) / "config.json"
        config.write_text(json.dumps(_GENERATOR | {"package_version_override": _version()}), encoding="utf-8")
        _run(
            *(str(binaries / "openapi-python-client"), "generate", "--meta", "uv", "--fail-on-warning"),
            *("--path", str(DESCRIPTION), "--config", str(config), "--output-path", str(directory)),
            *("--custom-template-path", str(HERE / "python" / "templates")),
        )
    shutil.copy(HERE / "python" / "connection.py", directory / MODULE)
    _add_texts(HERE / "python", directory)


def build_wheel(project: Path, directory: Path) -> Path:
    """Build the wheel of the Python project in `project` into `directory`.

    Raises:
        CalledProcessError: the build failed. Its output is on standard error.
    """
    command = (sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(directory))
    _run(*command, cwd=project)
    return directory / f"{MODULE}-{_version()}-py3-none-any.whl"


def build_typescript(directory: Path, node: str) -> None:
    """Write the npm package to `directory`, replacing it, with the Node.js at `node`.

    Raises:
        CalledProcessError: a tool failed. Its messages were printed.
    """
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    packages = TOOLS / "node_modules"
    with tempfile.TemporaryDirectory() as temporary:
        sources = Path(temporary)
        shutil.copy(HERE / "typescript" / "index.ts", sources)
        generator = str(packages / "openapi-typescript" / "bin" / "cli.js")
        schema = ("--default-non-nullable", "false", "--output", str(sources / "schema.ts"))
        _run(node, generator, str(DESCRIPTION), *schema)
        (sources / "package.json").write_text('{"type": "module"}')
        (sources / "node_modules").symlink_to(packages)
        options = _COMPILER | {"rootDir": str(sources), "outDir": str(directory / "dist")}
        settings = {"compilerOptions": options, "files": ["index.ts"]}
        (sources / "tsconfig.json").write_text(json.dumps(settings), encoding="utf-8")
        _run(node, str(packages / "typescript" / "bin" / "tsc"), "--project", str(sources))
    locked = json.loads((TOOLS / "package.json").read_text(encoding="utf-8"))["devDependencies"]
    package = json.loads((HERE / "typescript" / "package.json").read_text(encoding="utf-8"))
    package |= {"version": _version(), "dependencies": {"openapi-fetch": f"~{locked['openapi-fetch']}"}}
    (directory / "package.json").write_text(json.dumps(package, indent=2) + "\n", encoding="utf-8")
    _add_texts(HERE / "typescript", directory)


def _run(*command: str, cwd: Path = ROOT) -> None:
    """Run a tool that must succeed. Its output is shown only if it fails."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command, env=os.environ | {"PATH": path}, cwd=cwd, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        sys.stderr.write(done.stdout + done.stderr)
        done.check_returncode()


def _add_texts(source: Path, directory: Path) -> None:
    shutil.copy(source / "README.md", directory)
    shutil.copy(ROOT / "LICENSE", directory)
