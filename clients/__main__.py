"""Build both clients: `make clients`. Without Node.js, the one of Python alone."""

import shutil
import sys

from clients.packages import HERE, TOOLS, build_python, build_typescript

BUILD = HERE / "build"


def main() -> None:
    """Build what can be built, and say where it is."""
    build_python(BUILD / "python")
    sys.stdout.write("pip install clients/build/python\n")
    node = shutil.which("node")
    if node is None or not (TOOLS / "node_modules").exists():
        sys.stdout.write("Node.js was not found: the client of TypeScript was not built\n")
        return
    build_typescript(BUILD / "typescript", node)
    sys.stdout.write("npm install --install-links clients/build/typescript\n")


if __name__ == "__main__":
    main()
