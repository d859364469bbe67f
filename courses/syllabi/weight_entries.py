"""The shares of a grade named in a syllabus: a name and a number, in a line, in cells or in a clause."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from courses.syllabi.kinds import NOUN
from courses.syllabi.number_words import COUNTS, FRACTIONS, SPELLED
from courses.syllabi.phrases import TAKING_PART
from courses.syllabi.rows import Row, rows_of, sentences_of
from courses.syllabi.titles import cleaned
from courses.syllabi.weight_counts import Counted, counted_pieces, whole_of
from courses.syllabi.weight_names import BRACKETS, DATED, SCALE, name_of

MOST_PARTS: Final = 20
"""Maximum number of categories in a grade."""

MOST_READ: Final = 400
"""Maximum characters before a percentage that are searched for its name."""

_GRADE: Final = (
    r"(?:of|toward|towards|in|into|der|des|de|del|in die)\s(?:(?:the|your|their|a|each|student'?s?|la|el|l'|tu|su"
    r"|final|overall|total|course|class|semester|whole)\s?){0,4}\s?"
    r"(?:grade|mark|score|total|\w*note|nota|calificación|évaluation|it)\b"
)
_OF_GRADE: Final = re.compile(rf"\s*(?:\)\s*)?(?:each\s)?{_GRADE}", re.IGNORECASE)
_SHARE: Final = re.compile(
    r"(?:(?<![\d.,/@\u00d7x*–-])(?P<number>\d{1,2},\d{3}|\d{1,4}(?:[.,]\d{1,2})?)\s?"
    r"(?:(?P<percent>%|(?:percent|per cent|prozent|pour cent|por ciento)\b)(?! off| per )|(?:points?|pts?|punkten?|puntos)\b\.?)"
    rf"|\b(?:(?P<times>{'|'.join(COUNTS)})[ -])?(?P<fraction>{'|'.join(FRACTIONS)})(?=\s+{_GRADE})"
    rf"|\b(?P<spelled>{'|'.join(sorted(SPELLED, key=len, reverse=True))}) (?:percent|per cent)\b"
    r"|(?<![^\s:.(=])(?:(?<=\(\d [x\u00d7] )|(?<![\dx\u00d7] ))(?!\d\))(?P<bare>\d{1,4}(?:\.\d{1,2})?))"
    r"(?P<each>\s?(?:each|apiece|je\b|chacune?|cada un[oa]?)\b)?"
    r"(?(bare)(?=\W*$|,(?!\d)|[;)]| [/|(]| (?:(?:is|are|comes?) for|and|und|et|y)\b))",
    re.IGNORECASE,
)
"""A percentage, points, a fraction of the grade, or a number at the end of a line, a clause or a cell."""

_TIMES: Final = re.compile(r"\b(\d{1,2}) ?[@x\u00d7] ?$")
_VERB: Final = re.compile(
    r"\b(?:counts?|counted|counting|worth|mak(?:es?|ing) up|accounts?|accounting|contribut(?:es?|ed|ing)"
    r"|constitut(?:es?|ing)|represents?|representing|comprises?|comprising|carr(?:y|ies)|equals?|equaling|weigh(?:s"
    r"|ted)?|weighting|determines?|forms?|zählt|zählen|macht|machen|fließt|gewichtet|compte|comptent|vaut|valent"
    r"|représente|vale|valen|cuenta|representa|equivale)\b(?:\s(?:for|as|at|to|up|by|mit|zu|pour|un|une|el|la|a|an"
    r"|one|the|about|approximately|another|remaining|last|other|final|total of|only)){0,4}\s*$",
    re.IGNORECASE,
)
_FROM: Final = re.compile(
    r"[\s:)–—=-]{0,9}(?:(?:will|comes?|is|are|be|goes?|based|determined|given|reserved|awarded|from|on|by|for|to|of)\s)*",
    re.IGNORECASE,
)
"""Words between a share and the name that follows it."""

_NO_NAME: Final = re.compile(
    r"\b(?:weight(?:ing)?|worth|value|percentage|share|points|gewicht(?:ung)?|pondération|ponderación|peso"
    r"|max|pts|of|together|je|the|and|another|other|remaining)\b",
    re.IGNORECASE,
)
"""Words next to a number that are not its name."""

_PRONOUN: Final = re.compile(
    r"^\W*(?:and )?(?:together )?(?:it|this|they|these|which|that|each|both|the two)\b"
    r"\W*(?:exam|one|will|are|is|of \w+)?\W*$",
    re.IGNORECASE,
)
_DETAILS: Final = re.compile(
    r"\([^()]{0,80}\d[^()]{0,80}\)(?=[^\w(]{0,60}\d+(?:[.,]\d+)?\s?(?:%|points?\b|pts\b))"
    r"|(?:(?<=%)|(?<=pts)|(?<=points))\s?\([^()]{0,80}\d[^()]{0,80}\)"
)
"""Brackets that list the parts of an adjacent share: "Analyses (3 x 10%) ... 30%"."""

_ONE_OF: Final = re.compile(r"\b(?:each|every|apiece|jede[rs]?|jeweils|chacune?|chaque|cada)\b", re.IGNORECASE)
_SPLIT: Final = re.compile(
    r"[;:]\s|,\s(?:and\s|und\s|et\s|y\s)?|\s[–—/-]\s|\s(?:and|but|while)\s(?=(?:each|the|your|an?)\s)"
)
_LENGTH: Final = re.compile(
    rf"\W*(?:[\d.,–-]+|an?|{'|'.join(COUNTS)})[\s-](?:words?|pages?|hours?|minutes?|min|wörter|seiten|mots|palabras)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Entry:
    """A share with its words.

    Attributes:
        name: the words.
        value: the number, multiplied by the count if it is per piece.
        line: line number, from 0.
        unit: `%` or `points`; a bare number is in points.
    """

    name: str
    value: float
    line: int
    unit: str


@dataclass(frozen=True, slots=True)
class _Share:
    """A number with its unit and its position in a text. `each` means per piece."""

    value: float
    unit: str
    each: bool
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Piece:
    """A name, a share, or both.

    Attributes:
        name: the words; None if there are none, and empty if they do not name a category.
        share: the number.
        said: the words around it, which may have the number of pieces.
        line: line number, from 0.
    """

    name: str | None
    share: _Share | None
    said: str
    line: int

    def entry(self, counted: Counted) -> Iterator[Entry]:
        """The entry of a name with a share, multiplied by the count if the share is per piece."""
        if not self.name or not self.share:
            return
        name, count = whole_of(self.name, self.said, counted) if self.share.each else (self.name, 1)
        value = self.share.value * count
        if name and 0 < value <= (5000 if self.share.unit == "points" else 100):
            yield Entry(name, value, self.line, self.share.unit)


def entries_in(lines: Sequence[str], *, bare: bool) -> Iterator[Entry]:
    """The entries of a text in order.

    A share belongs to the words of its own piece, else of the piece before it. Lines with only shares belong to as many
    names above them.

    Args:
        lines: as returned by `readable`.
        bare: whether a number without a unit can be a share.
    """
    counted = counted_pieces(lines)
    above: list[_Piece] = []
    waiting: list[_Piece] = []
    for row in rows_of(lines):
        pieces = list(_pieces_of(row, bare=bare))
        if any(piece.share for piece in pieces) and not any(piece.name is not None for piece in pieces):
            waiting += pieces
            continue
        for piece in _matched(above, waiting):
            yield from piece.entry(counted)
        above, waiting = ([] if waiting else above), []
        if any(piece.share for piece in pieces):
            for piece in _joined(pieces):
                yield from piece.entry(counted)
        else:
            above = [*above, *(piece for piece in pieces if piece.name)][-MOST_PARTS:]
    for piece in _matched(above, waiting):
        yield from piece.entry(counted)


def _matched(names: Sequence[_Piece], shares: Sequence[_Piece]) -> Iterator[_Piece]:
    """The last names above some numbers, each with its own number. A name apart from the others heads the numbers."""
    if 1 < len(shares) < len(names) and names[-1].line - names[-2].line > 1:
        names = names[:-1]
    if 0 < len(shares) <= len(names):
        for name, share in zip(names[-len(shares) :], shares, strict=True):
            yield replace(name, share=share.share)


def _joined(pieces: Sequence[_Piece]) -> list[_Piece]:
    """The pieces of a row, with the shares that have no words added to the name before them."""
    joined: list[_Piece] = []
    for piece in pieces:
        last = joined[-1] if joined else None
        if piece.name is None and last:
            joined[-1] = replace(last, share=_best([one for one in (last.share, piece.share) if one]))
        elif piece.share or not last or last.share:
            joined.append(piece)
    return joined


def _best(shares: Sequence[_Share]) -> _Share:
    """The share of a name among several: of all pieces, in percent, the last: "5% each (20% total)"."""
    return max(reversed(shares), key=lambda one: (not one.each, one.unit == "%"))


def _pieces_of(row: Row, *, bare: bool) -> Iterator[_Piece]:
    """The pieces of a row: of each cell, sentence and clause."""
    weighed = "weight" in row.roles
    bare = bare and not DATED.search(row.text)
    for cell, role in sorted(
        zip(row.cells, row.roles or [None] * len(row.cells), strict=True), key=lambda one: weighed and one[1] != "what"
    ):
        for start, sentence in sentences_of(cell):
            scale = SCALE.search(sentence)
            if scale and not any(found["percent"] for found in _SHARE.finditer(sentence, 0, scale.start())):
                continue
            text = _DETAILS.sub(lambda found: " " * len(found[0]), sentence[: MOST_READ * 4])
            shares = (
                _shares_in(text, bare=role == "weight" or (bare and not (row.is_table and any(map(str.isalpha, cell)))))
                if role == "weight" or not weighed
                else []
            )
            if 0 < len(shares) <= MOST_PARTS:
                for piece in _clauses(text, shares):
                    yield replace(piece, line=row.line if row.is_table else row.line_at(start + piece.line))
            elif any(map(str.isalpha, text)):
                yield _Piece(name_of(cleaned(_OF_GRADE.sub(" ", text), [])), None, text, row.line)


def _shares_in(text: str, *, bare: bool) -> list[_Share]:
    """The shares in a text: percentages with the bare numbers that continue them, else points, else bare numbers."""
    shares = [_share(found) for found in _SHARE.finditer(text)]
    unit = next((unit for unit in ("%", "points") if any(one.unit == unit for one in shares)), "bare")
    numbers = sum(one.unit == "bare" for one in shares)
    if not (bare if unit == "bare" or bare else numbers * 2 > len(shares)) or DATED.search(text):
        shares = [one for one in shares if one.unit != "bare"]
    return [replace(one, unit="%" if unit == "%" else "points") for one in shares if one.unit in {unit, "bare"}]


def _share(found: re.Match[str]) -> _Share:
    if found["spelled"]:
        value: float = SPELLED[found["spelled"].lower()]
    elif found["fraction"]:
        value = FRACTIONS[found["fraction"].lower()] * COUNTS.get((found["times"] or "").lower(), 1)
    else:
        value = float(re.sub(r",(?=\d{3})", "", found["number"] or found["bare"]).replace(",", "."))
    if times := _TIMES.search(found.string, max(0, found.start() - 6), found.start()):
        value *= int(times[1])
    unit = "bare" if found["bare"] else "points" if found["number"] and not found["percent"] else "%"
    return _Share(value, unit, bool(found["each"]), found.start(), found.end())


def _clauses(text: str, shares: Sequence[_Share]) -> Iterator[_Piece]:
    """The shares of a sentence, each with the words before it, or after it if the sentence begins with a share.

    Their `line` is the position in the text.
    """
    first = text[: shares[0].start]
    after = not _says(first) or (
        len(shares) > 1 and first.rstrip().endswith((":", "=")) and _says(text[shares[-1].end :])
    )
    at = 0
    for place, share in enumerate(shares):
        head = _TIMES.sub("", text[max(at, share.start - MOST_READ) : share.start])
        tail = text[share.end : shares[place + 1].start if place + 1 < len(shares) else len(text)]
        at = share.end
        verb = _VERB.search(head)
        if (after and not verb and _says(tail)) or not _says(head):
            said = re.split(r"[.,;:(–—]|\s-\s", _FROM.sub("", _OF_GRADE.sub("", tail), count=1), maxsplit=1)[0]
            yield _Piece(name_of(said) if _says(tail) else None, share, said, share.start)
            continue
        head = head[: verb.start()] if verb else head
        name, each = _name_in(head)
        yield _Piece(name, replace(share, each=share.each or each), f"{head} {_SPLIT.split(tail)[0]}", share.start)


def _says(text: str) -> bool:
    """Return whether the words beside a share can be a name."""
    return any(map(str.isalpha, _NO_NAME.sub("", _OF_GRADE.sub("", text))))


def _name_in(head: str) -> tuple[str | None, bool]:
    """The name before a share, and whether the share is per piece."""
    head = _OF_GRADE.sub("", BRACKETS.sub(" ", head.rstrip(" ([")), count=1)
    clauses = [clause for clause in _SPLIT.split(head.rstrip(" ([=,:")) if any(map(str.isalpha, clause))]
    each = bool(clauses and _ONE_OF.search(clauses[-1]))
    named = [one for one in clauses if not (_LENGTH.match(one) or _PRONOUN.match(one))]
    names = [name for one in reversed(named) if (name := name_of(one))]
    aside = bool(names) and names[0][0].islower()
    known = [name for name in names if aside and (NOUN.search(name) or TAKING_PART.search(name))]
    return [*known, *names, "" if named else None][0], each
