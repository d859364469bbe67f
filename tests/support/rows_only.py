"""Checks that code of the subjects reaches study data through `Model.rows` alone.

`make check` runs it. Views, domain functions and pages must not use `objects`, querysets of their own, related managers
or SQL, which see all of a member's rows, whatever the credential may see. Modules for other callers are named below.
"""

import ast
import os
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

from tests import ROOT

SUBJECTS = ("courses", "grades", "planning", "practice", "vocab")

ELSEWHERE = {
    "*/migrations/*": "migrations",
    "*/admin.py": "operators",
    "*_admin.py": "operators",
    "*/management/*": "commands",
    "*/archive.py": "the member's own archive",
    "*/purging.py": "deletes what has expired, for all members",
    "*/apps.py": "hooks for operators",
    "grades/marks.py": "an undo, which the call may do, settles the items and scores of the whole member",
    "vocab/foretold.py": "an upgrade and an import fill the rows of whole members",
    "practice/attempts.py": "the sums of the whole member",
    "practice/limited.py": "the condition that limits practice itself",
    "practice/rebuilding.py": "the sums of the whole member, computed by the database",
}
"""Modules that no limited credential reaches, with the reason."""

_MANAGERS = frozenset({"objects", "_base_manager", "_default_manager"})
_RAW = frozenset({"RawStatement", "RawSQL", "QuerySet"})
_SQL = frozenset({"cursor", "raw", "extra"})
_READS = frozenset({
    "aggregate", "all", "annotate", "bulk_create", "bulk_update", "count", "create", "delete", "exclude", "exists",
    "filter", "first", "get", "iterator", "last", "order_by", "update", "values", "values_list",
})  # fmt: skip


def complaints(source: str, models: frozenset[str], related: frozenset[str]) -> Iterator[tuple[int, str]]:
    """Yield the line and the reason of each use of study data that does not go through `rows`.

    Args:
        models: names of the classes of study data.
        related: names of the managers of rows that refer to another.
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute):
            if node.attr in _MANAGERS and (not isinstance(node.value, ast.Name) or node.value.id in models):
                yield node.lineno, f"`{ast.unparse(node)}` sees all rows. Use `rows.of(access)` or `rows.declared`."
            of = node.value
            if node.attr in _READS and isinstance(of, ast.Attribute) and of.attr in related:
                yield node.lineno, f"`{ast.unparse(node)}` sees all rows. Use `rows.of(access)`."
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _RAW:
            yield node.lineno, f"`{ast.unparse(node)[:60]}` limits nothing. Use the verbs of `rows`, or `MemberSelect`."
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _SQL:
            yield node.lineno, f"`{ast.unparse(node)[:60]}` limits nothing."


def _files() -> Iterator[Path]:
    for subject in SUBJECTS:
        for path in sorted((ROOT / subject).rglob("*.py")):
            if not any(fnmatch(str(path.relative_to(ROOT)), pattern) for pattern in ELSEWHERE):
                yield path


def study_models() -> tuple[frozenset[str], frozenset[str]]:
    """Return the names of the classes of study data, and of their related managers."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studyservice.settings")
    import django  # settings first

    django.setup()
    from studyservice.registry.data import member_data

    models = [data.model for data in member_data() if data.is_study_data]
    names = {relation.get_accessor_name() for model in models for relation in model._meta.related_objects}
    return frozenset(model.__name__ for model in models), frozenset(name for name in names if name)


def main() -> int:
    """Print each complaint. Return 1 if there is any."""
    models, related = study_models()
    found = [
        f"{path.relative_to(ROOT)}:{line}: {why}"
        for path in _files()
        for line, why in complaints(path.read_text(encoding="utf-8"), models, related)
    ]
    sys.stdout.writelines(f"{one}\n" for one in found)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
