"""Who sends the requests: the seeded members, their credentials and the ids that requests name."""

from dataclasses import asdict, dataclass
from pathlib import Path

import orjson


@dataclass(frozen=True, slots=True)
class Subject:
    """One member: the plaintext of the API key, and the ids of the courses."""

    key: str
    courses: tuple[str, ...]


def save(path: Path, cast: list[Subject]) -> None:
    """Write `cast` for `load`."""
    path.write_bytes(orjson.dumps([asdict(subject) for subject in cast]))


def load(path: Path) -> list[Subject]:
    """The cast that `save` wrote."""
    return [Subject(one["key"], tuple(one["courses"])) for one in orjson.loads(path.read_bytes())]
