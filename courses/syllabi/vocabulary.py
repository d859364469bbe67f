"""The words of syllabi by their meaning, in several languages, from `vocabulary.toml`."""

import re
import tomllib
from pathlib import Path
from typing import Any, Final

VOCABULARY: Final[dict[str, Any]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
"""The tables of the file."""


def any_word(meaning: str) -> str:
    """Alternatives of a pattern for the words with a meaning."""
    return "|".join(VOCABULARY[meaning])


def whole_word(meaning: str) -> re.Pattern[str]:
    """A pattern for one of the words with a meaning, in small or capital letters."""
    return re.compile(rf"\b(?:{any_word(meaning)})\b", re.IGNORECASE)
