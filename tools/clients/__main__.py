"""Build both clients: `make clients`. Without Node.js, only the Python client."""

import shutil
import sys

from tools.clients.packages import CARRIED, HERE, ROOT, TOOLS, build_python, build_typescript, build_wheel

BUILD = HERE / "build"


def main() -> None:
    """Build each client whose tools are installed, and print how to install it."""
    build_python(BUILD / "python")
    sys.stdout.write(f"pip install {build_wheel(BUILD / 'python', CARRIED).relative_to(ROOT)}\n")
    node = shutil.which("node")
    if node is None or not (TOOLS / "node_modules").exists():
        sys.stdout.write("Node.js was not found, so the TypeScript client was not built\n")
        return
    build_typescript(BUILD / "typescript", node)
    sys.stdout.write("npm install --install-links tools/clients/build/typescript\n")


if __name__ == "__main__":
    main()
