"""`python -m tests.support.both [ARGUMENTS]`: test on SQLite and on PostgreSQL at the same time.

Tests use the tools on SQLite and REST on PostgreSQL, unless `ARGUMENTS`, which are passed to pytest, say otherwise. The
output of PostgreSQL is printed at the end. Together both are faster than one after the other: their starts and last
tests leave no processor idle, and fewer workers collect the tests.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence

from tests import ROOT
from tests.support.run import BESIDE


def main(arguments: Sequence[str]) -> int:
    """Run both. Return 0 if both passed, otherwise the exit status of one that failed."""
    with tempfile.TemporaryFile() as printed:
        beside = subprocess.Popen(
            _pytest("postgresql", "rest", arguments),
            cwd=ROOT,
            env=os.environ | {BESIDE: "1"},
            stdout=printed,
            stderr=subprocess.STDOUT,
        )
        try:
            status = subprocess.run(_pytest("sqlite", "mcp", arguments), cwd=ROOT, check=False).returncode
        finally:
            beside.wait()
        printed.seek(0)
        sys.stdout.write(f"\nOn PostgreSQL:\n\n{printed.read().decode(errors='replace')}")
    return status or beside.returncode


def _pytest(database: str, entry_points: str, arguments: Sequence[str]) -> list[str]:
    return [sys.executable, "-m", "pytest", "--database", database, "--entry-points", entry_points, *arguments]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
