"""Which tests a run has, and over which entry points, by their marks and the options of the run."""

from zlib import crc32

import pytest

SAME_STATEMENTS = pytest.mark.database("sqlite", "other tests send the same statements").mark
"""What the mark `same_statements` stands for."""

_OF_DATABASES = {"database", "same_statements"}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect tests of the other database and, in a quick run, thorough tests."""
    left_out = {item for item in items if _left_out(item)}
    config.hook.pytest_deselected(items=[*left_out])
    items[:] = [item for item in items if item not in left_out]


def pytest_pycollect_makeitem(collector: pytest.Collector, obj: object) -> list[pytest.Item] | None:
    """Do not collect files that are left out, except tests with their own mark: some come from long tables."""
    if isinstance(obj, type) or any(mark.name in _OF_DATABASES for mark in getattr(obj, "pytestmark", [])):
        return None
    return [] if _left_out(collector) else None


def _left_out(node: pytest.Item | pytest.Collector) -> bool:
    """Return whether the run leaves `node` out. The test's own `database` mark overrides its file's."""
    here = "sqlite" if node.config.getoption("--database") == "sqlite" else "postgresql"
    database, thorough = _mark(node, "database"), _mark(node, "thorough")
    if node.config.getoption("--thorough"):
        return database is not None and database.args[0] not in (here, "both") and not _is_enough_on_one(database)
    return thorough is not None or (database is not None and database.args[0] not in (here, "both"))


def _mark(node: pytest.Item | pytest.Collector, name: str) -> pytest.Mark | None:
    """Return the closest mark with this name.

    Raises:
        UsageError: the mark is not written as `pyproject.toml` says.
    """
    names = _OF_DATABASES if name == "database" else {name}
    mark = next((found for found in node.iter_markers() if found.name in names), None)
    if mark is not None and mark.name == "same_statements":
        return SAME_STATEMENTS
    match (name, *mark.args) if mark else ():
        case () | ("database", "sqlite" | "postgresql" | "both") | ("thorough", str()):
            return mark
        case ("database", "sqlite" | "postgresql", str()):
            return mark
    raise pytest.UsageError(f"{node.nodeid}: write database('sqlite', 'a reason') or thorough('a reason'), not {mark}")


def _is_enough_on_one(database: pytest.Mark) -> bool:
    """Return whether the test runs on both databases but needs only one. Such a mark states a reason."""
    return len(database.args) > 1


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Choose the entry points of each operation test: REST, the tools, or both.

    `--entry-points` sets them for the run. By default, SQLite uses both and PostgreSQL only REST: both call the same
    action, so the tools show nothing more about the database. Tests marked `rest` always use REST. Of the tests that
    need only one database, half use REST and half the tools.
    """
    if "entry_point_kind" in metafunc.fixturenames:
        option, definition = metafunc.config.getoption, metafunc.definition
        entry_points = option("--entry-points") or ("both" if option("--database") == "sqlite" else "rest")
        database = _mark(definition, "database")
        if definition.get_closest_marker("rest"):
            entry_points = "rest"
        elif entry_points != "both" and database and _is_enough_on_one(database):
            entry_points = ("rest", "mcp")[crc32(definition.nodeid.encode()) % 2]
        metafunc.parametrize("entry_point_kind", ["rest", "mcp"] if entry_points == "both" else [entry_points])
