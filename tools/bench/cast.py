"""The seeded members, their credentials, and the ids in requests."""

from dataclasses import asdict, dataclass, field
from pathlib import Path

import orjson

CARDS = 20
"""Number of flashcards of each member."""

CLIENT_ID = "svc_client_bench"
"""The public client that the refresh tokens belong to."""

CALLBACK = "https://app.example/callback"
"""Its redirect URI."""

SYLLABUS = b"Weeks 1 to 4: cells.\n"
"""Contents of each syllabus file."""


@dataclass(frozen=True, slots=True)
class Subject:
    """One member with the plaintexts of an API key and of refresh tokens, and ids of courses and flashcards."""

    key: str
    courses: list[str] = field(default_factory=list)
    cards: list[str] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Cast:
    """The members of a term, and one more member with as many rows as possible, once for each of its many keys."""

    members: list[Subject] = field(default_factory=list)
    heavy: list[Subject] = field(default_factory=list)


def save(path: Path, cast: Cast) -> None:
    """Write `cast` for `load`."""
    path.write_bytes(orjson.dumps(asdict(cast)))


def load(path: Path) -> Cast:
    """Return the cast that `save` wrote."""
    return Cast(**{part: [Subject(**one) for one in found] for part, found in orjson.loads(path.read_bytes()).items()})
