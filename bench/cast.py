"""Who sends the requests: the seeded members, their credentials and the ids that requests name."""

from dataclasses import asdict, dataclass, field
from pathlib import Path

import orjson

CARDS = 20
"""Flashcards of each member."""

TOKENS = 40
"""Refresh tokens of each member."""

CLIENT_ID = "svc_client_bench"
"""The public client that the refresh tokens belong to."""

CALLBACK = "https://app.example/callback"
"""Its redirect URI."""

SYLLABUS = b"Weeks 1 to 4: cells.\n"
"""What is in each syllabus file."""


@dataclass(frozen=True, slots=True)
class Subject:
    """One member with one credential.

    Attributes:
        key: the plaintext of an API key.
        courses: ids.
        cards: ids of flashcards that stand alike.
        tokens: plaintexts of refresh tokens.
    """

    key: str
    courses: list[str] = field(default_factory=list)
    cards: list[str] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Cast:
    """Everybody.

    Attributes:
        members: members in the middle of a term.
        heavy: one more member, with as much as there can be, under each of many keys.
    """

    members: list[Subject] = field(default_factory=list)
    heavy: list[Subject] = field(default_factory=list)


def save(path: Path, cast: Cast) -> None:
    """Write `cast` for `load`."""
    path.write_bytes(orjson.dumps(asdict(cast)))


def load(path: Path) -> Cast:
    """The cast that `save` wrote."""
    return Cast(**{part: [Subject(**one) for one in found] for part, found in orjson.loads(path.read_bytes()).items()})
