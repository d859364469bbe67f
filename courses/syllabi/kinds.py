"""The kind of an item from the words of its title in English, German, French and Spanish."""

import re
from typing import Final

from courses.syllabi.vocabulary import VOCABULARY

_WORDS: Final = [(one["kind"], "|".join(one["words"])) for one in VOCABULARY["kinds"]]
"""By precedence: a project report is a project, a lab report a lab, the draft of an assignment an assignment."""

_KINDS: Final = [(kind, re.compile(rf"\b(?:{words})(?=\b|\d)", re.IGNORECASE)) for kind, words in _WORDS]

_ENDS: Final = r"(?=\b|(?<=[a-z])\d)"
NOUN: Final = re.compile(rf"\b(?:{'|'.join(words for _, words in _WORDS)}){_ENDS}", re.IGNORECASE)
"""A noun for something to hand in or an exam to take."""

SAT: Final = re.compile(rf"\b(?:{'|'.join(words for _, words in _WORDS[:2])}){_ENDS}", re.IGNORECASE)
"""Kinds that take place at a fixed time. An adjacent date is sufficient evidence."""

STRONG: Final = re.compile(
    rf"\b(?:{'|'.join(words for kind, words in _WORDS[:6] if kind != 'lab')}|lab reports?){_ENDS}", re.IGNORECASE
)
"""Unambiguous words."""

OTHER: Final = "other"


def kind_of(title: str, otherwise: str = OTHER) -> str:
    """The kind (a value of `ItemKind`) named in the title, or `otherwise`."""
    return next((kind for kind, words in _KINDS if words.search(title)), otherwise)
