"""Text folded for searching: case-insensitive, with accents in one form.

It is stored beside the text, because databases fold differently.
"""

import unicodedata
from collections.abc import Iterable

from django.db.models import CharField, Q
from django.db.models.functions import StrIndex
from django.db.models.lookups import GreaterThan

from studyservice.database.statements import Param

_BETWEEN = "\x1f"
"""Separates texts in one column, so that no search matches across two of them."""


def fold(text: str) -> str:
    """Return `text` case-folded, in NFC."""
    folded = unicodedata.normalize("NFC", text).casefold()
    return unicodedata.normalize("NFC", folded).replace(_BETWEEN, "")


def fold_all(texts: Iterable[str | None]) -> str:
    """Return the texts folded, in the form of one column."""
    return _BETWEEN.join(fold(text) for text in texts if text)


def contains(*columns: str, param: str) -> Q:
    """Match rows whose folded column contains the folded text in `param`.

    `%` and `_` match only themselves, unlike with LIKE.
    """
    found = Q()
    for column in columns:
        found |= Q(GreaterThan(StrIndex(column, Param(param, CharField())), 0))
    return found
