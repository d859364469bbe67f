"""The shares of a grade named in a syllabus: a name and a number, in a line, in cells or in a clause."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from courses.syllabi.number_words import COUNTS, FRACTIONS, SPELLED
from courses.syllabi.phrases import phrases_of
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
_NUMBER: Final = r"(?<![\d.,/@\u00d7x*–-])(?P<number>\d{1,2},\d{3}|\d{1,4}(?:[.,]\d{1,2})?)\s?"
_EACH: Final = r"(?P<each>\s?(?:each|apiece|je\b|chacune?|cada un[oa]?)\b)?"
_PERCENT: Final = re.compile(
    rf"{_NUMBER}(?:%|percent\b|per cent\b|prozent\b|pour cent\b|por ciento\b)(?! off| per ){_EACH}"
    rf"|\b(?:(?P<times>{'|'.join(COUNTS)})[ -])?(?P<fraction>{'|'.join(FRACTIONS)})(?=\s+{_GRADE})"
    rf"|\b(?P<spelled>{'|'.join(sorted(SPELLED, key=len, reverse=True))}) (?:percent|per cent)\b",
    re.IGNORECASE,
)
_POINTS: Final = re.compile(rf"{_NUMBER}(?:points?|pts?|punkten?|puntos)\b\.?{_EACH}", re.IGNORECASE)
_BARE: Final = re.compile(
    r"(?<![^\s:.(=])(?:(?<=\(\d [x\u00d7] )|(?<![\dx\u00d7] ))(?!\d\))(?P<number>\d{1,4}(?:\.\d{1,2})?)(?P<each> each)?"
    r"(?=\W*$|,(?!\d)|[;)]| [/|(]| (?:(?:is|are|comes?) for|and|und|et|y)\b)",
    re.IGNORECASE,
)
"""A number at the end of a line, a clause or a cell."""

_SAID: Final = re.compile(r"\b(?:is|are|worth|counts?|remaining|other)(?: for)? $", re.IGNORECASE)
"""Words before a bare number that is a share."""

_TIMES: Final = re.compile(r"\b(\d{1,2}) ?[@x\u00d7] ?$")
_LABEL: Final = re.compile(
    r"\W*(?:weight(?:ing)?|worth|value|percentage|share|points|gewicht(?:ung)?|pondération|ponderación|peso)\W*",
    re.IGNORECASE,
)
_VERB: Final = re.compile(
    r"\b(?:counts?|counted|counting|worth|mak(?:es?|ing) up|accounts?|accounting|contribut(?:es?|ed|ing)"
    r"|constitut(?:es?|ing)|represents?|representing|comprises?|comprising|carr(?:y|ies)|equals?|equaling|weigh(?:s"
    r"|ted)?|weighting|determines?|forms?|zählt|zählen|macht|machen|fließt|gewichtet|compte|comptent|vaut|valent"
    r"|représente|vale|valen|cuenta|representa|equivale)\b(?:\s(?:for|as|at|to|up|by|mit|zu|pour|un|une|el|la|a|an"
    r"|one|the|about|approximately|another|remaining|last|other|final|total of|only)){0,4}\s*$|(?<=[\w)])\s*=\s*$",
    re.IGNORECASE,
)
_FROM: Final = re.compile(
    r"[\s:)–—=-]{0,9}(?:(?:will|comes?|is|are|be|goes?|based|determined|given|reserved|awarded|from|on|by|for|to|of)\s)*",
    re.IGNORECASE,
)
"""Words between a share and the name that follows it."""

_NUMBER_WORDS: Final = re.compile(
    rf"{_LABEL.pattern}|\b(?:each|total|max|pts|of|together)\b|je\b|pour cent|\b(?:percent|per cent|prozent)\b",
    re.IGNORECASE,
)
"""Words next to a number that are not its name."""

_NO_WORDS: Final = re.compile(r"(?:\W|(?:the|and|another|other|remaining)\b)*", re.IGNORECASE)
_PRONOUN: Final = re.compile(
    r"^\W*(?:and )?(?:together )?(?:it|this|they|these|which|that|each|both|the two)\b"
    r"\W*(?:exam|one|will|are|is|of \w+)?\W*$",
    re.IGNORECASE,
)
_DETAIL_BEFORE: Final = re.compile(
    r"\([^()]{0,80}\d[^()]{0,80}\)(?=[^\w(]{0,60}\d+(?:[.,]\d+)?\s?(?:%|points?\b|pts\b))"
)
_DETAIL_AFTER: Final = re.compile(rf"(\d\s?%(?:\s{_GRADE})?)\s?\([^()]{{0,80}}%[^()]{{0,80}}\)", re.IGNORECASE)
"""Brackets that list the parts of an adjacent share: "Analyses (3 x 10%) ... 30%"."""

_PIECES: Final = re.compile(
    r"[,(\s]+(?:\d{1,2} (?:at|of|@|x|\u00d7) (?P<each>)|)\d{1,3}(?:\.\d+)?\s?(?:%|points|pts)(?(each)| each)\)?"
    r"(?=\W{1,9}\d+\W*$)",
    re.IGNORECASE,
)
"""The share of each piece before their total: "Tutorials, 1.5% each: 12"."""

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


def entries_in(lines: Sequence[str], *, bare: bool) -> Iterator[Entry]:
    """The entries of a text in order.

    A table row with a name and a number is one entry, as is each clause with both. Numbers without names, in lines or
    cells, belong to as many names above them.

    Args:
        lines: as returned by `readable`.
        bare: whether a number without a unit can be a share.
    """
    counted = counted_pieces(lines)
    above: list[tuple[str, int]] = []
    waiting: list[_Share] = []
    for row in rows_of(lines):
        dated = bool(DATED.search(row.text))
        number = "weight" in row.roles or (bare and not dated)
        roles = row.roles if "weight" in row.roles else ["weight"] * len(row.cells)
        alone = [
            _alone(cell, bare=number) if role == "weight" else None for cell, role in zip(row.cells, roles, strict=True)
        ]
        shares = [share for share in alone if share]
        names = [
            name
            for cell, share in zip(row.cells, alone, strict=True)
            if not share and len(cell) < MOST_READ and (name := name_of(cleaned(_OF_GRADE.sub(" ", cell), [])))
        ]
        if shares and not names and not dated:
            waiting += shares
            continue
        yield from _matched(above, waiting, counted)
        above, waiting = ([] if waiting else above), []
        if shares and names:
            yield from _of_cells(row, alone, counted)
        elif found := list(_of_text(row, counted, bare=number)):
            yield from found
        else:
            above = [*above, *((name, row.line) for name in names)][-MOST_PARTS:]
    yield from _matched(above, waiting, counted)


def _of_cells(row: Row, alone: Sequence[_Share | None], counted: Counted) -> Iterator[Entry]:
    """The entries of a table row: each name with the last share after it, percentages before points."""
    name, shares = "", []
    named = sorted(
        (at for at, share in enumerate(alone) if not share), key=lambda at: "what" not in row.roles[at : at + 1]
    )
    order = [*named[:1], *(at for at in range(len(alone)) if at not in named[:1])] if row.roles else range(len(alone))
    for at in order:
        if share := alone[at]:
            shares.append(share)
        elif not name or shares:
            if shares:
                yield from _entry(name, _of_most(shares), row.line, row.text, counted)
            name, shares = name_of(cleaned(_OF_GRADE.sub(" ", row.cells[at]), [])), []
            if not any(alone[at + 1 : at + 2]):
                found = list(_of_text(replace(row, cells=(row.cells[at],), text=row.cells[at]), counted, bare=False))
                yield from found
                name = "" if found else name
    if shares:
        yield from _entry(name, _of_most(shares), row.line, row.text, counted)


def _of_most(shares: Sequence[_Share]) -> _Share:
    return [*shares, *(one for one in shares if one.unit == "%")][-1]


def _matched(names: Sequence[tuple[str, int]], shares: Sequence[_Share], counted: Counted) -> Iterator[Entry]:
    """The last names above some numbers, each with its own number. A name apart from the others heads the numbers."""
    if 1 < len(shares) < len(names) and names[-1][1] - names[-2][1] > 1:
        names = names[:-1]
    if 0 < len(shares) <= len(names):
        for (name, line), share in zip(names[-len(shares) :], shares, strict=True):
            yield from _entry(name, share, line, name, counted)


def _shares_in(text: str, *, bare: bool) -> list[_Share]:
    """The shares in a text: percentages with the bare numbers that continue them, else points, else bare numbers."""
    unit = "%" if _PERCENT.search(text) else "points"
    shares = [_share(found, unit) for found in (_PERCENT if unit == "%" else _POINTS).finditer(text)]
    numbers = [one for found in _BARE.finditer(text) if (one := _share(found, unit)).value >= 5 or unit != "%"]
    said = [one for one in numbers if _SAID.search(text, 0, one.start)] if bare else []
    if not (bare or shares) or (len(numbers) <= len(shares) and not said) or DATED.search(text):
        return shares
    every = sorted([*shares, *numbers], key=lambda one: one.start)
    ends = [0, *(one.end for one in every)]
    return [
        one for one, end in zip(every, ends, strict=False) if not end or any(map(str.isalpha, text[end : one.start]))
    ]


def _share(found: re.Match[str], unit: str) -> _Share:
    if spelled := found.groupdict().get("spelled"):
        value: float = SPELLED[spelled.lower()]
    elif found["number"]:
        value = float(re.sub(r",(?=\d{3})", "", found["number"]).replace(",", "."))
    else:
        value = FRACTIONS[found["fraction"].lower()] * COUNTS.get((found["times"] or "").lower(), 1)
    if times := _TIMES.search(found.string, max(0, found.start() - 6), found.start()):
        value *= int(times[1])
    return _Share(value, unit, bool(found["each"]), found.start(), found.end())


def _alone(cell: str, *, bare: bool) -> _Share | None:
    """The percentage of a cell without a name: the total in "5% each (20% total)"."""
    cell = BRACKETS.sub(" ", cell) if cell[:1].isdigit() else cell
    if len(cell) > 60:
        return None
    found = _shares_in(cell, bare=bare)
    rest = _OF_GRADE.sub(" ", cell)
    for pattern in (_PERCENT, _POINTS, _NUMBER_WORDS):
        rest = pattern.sub(" ", rest)
    if not found or any(map(str.isalpha, rest)):
        return None
    return next((one for one in found if not one.each), found[-1])


def _of_text(row: Row, counted: Counted, *, bare: bool) -> Iterator[Entry]:
    """The entries in the clauses of a row."""
    scale, percent = SCALE.search(row.text), _PERCENT.search(row.text)
    if scale and not (percent and percent.start() < scale.start()):
        return
    before = ""
    for start, sentence in (one for cell in row.cells for one in sentences_of(cell)):
        said = _PIECES.sub("", sentence[: MOST_READ * 4])
        said = _DETAIL_AFTER.sub(r"\1", _DETAIL_BEFORE.sub(lambda found: " " * len(found[0]), said))
        shares = _shares_in(said, bare=bare)
        if 0 < len(shares) <= MOST_PARTS:
            for share, name, clause in _named(said, shares, before):
                line = row.line if row.is_table else row.line_at(start + share.start)
                yield from _entry(name, share, line, clause, counted)
        before = sentence


def _named(text: str, shares: Sequence[_Share], before: str) -> Iterator[tuple[_Share, str, str]]:
    """The shares of a sentence, each with the adjacent name and the surrounding words."""
    first, last = text[: shares[0].start], text[shares[-1].end :]
    after = bool(_NO_WORDS.fullmatch(_OF_GRADE.sub("", first))) or (
        len(shares) > 1 and first.rstrip().endswith((":", "=")) and any(map(str.isalpha, last))
    )
    for at, share in enumerate(shares):
        head = text[max(shares[at - 1].end if at else 0, share.start - MOST_READ) : share.start]
        head = _TIMES.sub("", head)
        tail = text[share.end : shares[at + 1].start if at + 1 < len(shares) else len(text)]
        verb = _VERB.search(head)
        if (after and not (verb and at)) or (not verb and _NO_WORDS.fullmatch(_OF_GRADE.sub("", head, count=1))):
            said = _FROM.sub("", _OF_GRADE.sub("", tail), count=1)
            name = name_of(re.split(r"[.,;:(–—]|\s-\s", said, maxsplit=1)[0])
            yield share, name, name
            continue
        head = head[: verb.start()] if verb else head
        name, each = _before(head, before)
        yield replace(share, each=share.each or each), name, f"{head} {_SPLIT.split(tail)[0]}"


def _before(head: str, before: str) -> tuple[str, bool]:
    """The name before a share, and whether the share is per piece."""
    listed = head.rstrip().endswith("(")
    head = _OF_GRADE.sub("", BRACKETS.sub(" ", head.rstrip(" ([")), count=1)
    pieces = [piece for piece in _SPLIT.split(head.rstrip(" ([=,:")) if any(map(str.isalpha, piece))]
    pieces = [piece for piece in pieces if not (DATED.search(piece) or _LENGTH.match(piece))] or pieces[-1:]
    if not pieces:
        return "", False
    each = bool(_ONE_OF.search(pieces[-1]))
    if _PRONOUN.match(pieces[-1]):
        named = phrases_of(" ".join(pieces[:-1])) or phrases_of(before[-MOST_READ:])
        return (named[0].title if named else ""), each
    names = [name for piece in reversed(pieces) if (name := name_of(piece))]
    aside = bool(names) and names[0][0].islower()
    return next(
        (name for name in (names[::-1] if listed else names) if aside and phrases_of(name)), names[0] if names else ""
    ), each


def _entry(name: str, share: _Share, line: int, clause: str, counted: Counted) -> Iterator[Entry]:
    """The entry of a name, multiplied by the count if the share is per piece."""
    value = share.value
    if share.each:
        name, count = whole_of(name, clause, counted)
        value *= count
    if name and 0 < value <= (5000 if share.unit == "points" else 100):
        yield Entry(name, value, line, share.unit)
