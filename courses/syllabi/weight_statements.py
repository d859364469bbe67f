"""What sentences say of the parts of a grade: "each midterm is worth 20%", "homework counts for a quarter of it"."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from courses.syllabi.phrases import phrases_of
from courses.syllabi.rows import MOST_CHARACTERS, MOST_LINES, cells_of, sentences_of
from courses.syllabi.weight_entries import COUNTS, NO_PART, Entry, count_in, name_of

MOST_STATEMENTS: Final = 200
MOST_JOINED: Final = 2_000
"""Characters of lines that are read as one paragraph."""

MOST_READ: Final = 400
"""Characters of a sentence before a share in which its subject is looked for."""

_FRACTIONS: Final = {
    "half": 50, "third": 100 / 3, "thirds": 100 / 3, "quarter": 25, "quarters": 25, "fourth": 25, "fifth": 20,
    "fifths": 20, "sixth": 100 / 6, "eighth": 12.5, "tenth": 10, "hälfte": 50, "drittel": 100 / 3, "viertel": 25,
    "fünftel": 20, "zehntel": 10, "moitié": 50, "tiers": 100 / 3, "quart": 25, "mitad": 50, "tercio": 100 / 3,
    "cuarto": 25, "quinto": 20,
}  # fmt: skip
_TIMES: Final = {"two": 2, "three": 3, "zwei": 2, "drei": 3, "deux": 2, "trois": 3, "dos": 2, "tres": 3}
_GRADE: Final = (
    r"(?:of|toward|towards|in|into|der|des|de|del|in die)\s(?:(?:the|your|their|a|each|student'?s?|la|el|l'|tu|su"
    r"|final|overall|total|course|class|semester|whole)\s?){0,4}\s?"
    r"(?:grade|mark|score|total|\w*note|nota|calificación|évaluation)\b"
)
_OF_GRADE: Final = re.compile(rf"\s*(?:\)\s*)?(?:each\s)?{_GRADE}", re.IGNORECASE)
_SHARE: Final = re.compile(
    r"(?<![\d.,–-])(?P<number>\d{1,3}(?:[.,]\d{1,2})?)\s?(?:%|percent\b|per cent\b|prozent\b|pour cent\b|por ciento\b)"
    rf"|\b(?:(?P<times>{'|'.join(_TIMES)})[ -])?(?P<fraction>{'|'.join(_FRACTIONS)})(?=\s+(?:{_GRADE}))",
    re.IGNORECASE,
)
_VERB: Final = re.compile(
    r"\b(?:counts?|counted|counting|worth|mak(?:es?|ing) up|accounts?|accounting|contribut(?:es?|ed|ing)|constitut"
    r"(?:es?|ing)|represents?|representing|comprises?|comprising|carr(?:y|ies)|equals?|equaling|weigh(?:s|ted)?"
    r"|weighting|determines?|forms?|zählt|zählen|macht|machen|fließt|gewichtet|compte|comptent|vaut|valent|représente"
    r"|vale|valen|cuenta|representa|equivale)\b"
    r"(?:\s(?:for|as|at|to|up|by|mit|zu|pour|un|une|el|la|a|an|one|the|about|approximately|another|remaining|last|other"
    r"|final|total of|only)){0,4}\s*$"
    r"|(?<=[\w)])\s*=\s*$",
    re.IGNORECASE,
)
_WHOLE: Final = re.compile(r"\b(?:total|remaining)\b", re.IGNORECASE)
_EACH: Final = re.compile(
    r"\b(?:each|every|apiece|both of which|jede[rs]?|je|jeweils|chacune?|chaque|cada)\b", re.IGNORECASE
)
_EACH_AFTER: Final = re.compile(r"\s?(?:each|apiece|je\b|chacune?|cada un[oa])\b", re.IGNORECASE)
_FROM: Final = re.compile(
    rf"\)?\s*(?:{_GRADE})?\s*(?:will\s)?(?:comes?|is|are|be|depends?|reserved|goes?)?\s?(?:(?:based|determined|given"
    r"|reserved|awarded)\s)?(?:from|on|by|for|to)\s(?:the\s|your\s|an?\s|how\s)?(?P<subject>[^.;,()%]{3,70})",
    re.IGNORECASE,
)
_SOURCE: Final = re.compile(r"\b(?:comes?|based|determined|reserved|goes)\b", re.IGNORECASE)
_PIECES: Final = re.compile(r"[;:]\s|,\s|\s?[–—]\s?|\s-\s|\s=")
_AND: Final = re.compile(r"\s(?:and|but|while|und|et|y)\s")
_NEW_SUBJECT: Final = re.compile(r"\s(?:and|but|while|und|et|y)\s(?=(?:each|the|your|an?)\s)")
_SHARED_PIECE: Final = re.compile(
    r"^(?:\W|\b(?:each|both|which|of|them|these|and|also|will|be|is|are|that|together|exam|one|per|each one)\b)*$",
    re.IGNORECASE,
)
_PRONOUN: Final = re.compile(r"^\W*(?:it|this|they|these|which|that)\b", re.IGNORECASE)
_OPENING: Final = re.compile(
    r"^(?:\W|\b(?:(?:there (?:will be|are|is))|students?(?:'s)? (?:\w+ )?(?:\w+ )?for|finally|in addition|additionally"
    r"|also|and|together|each|every|both|all|of|the|your|our|an?|one|these|lastly|similarly|overall|first|second|die"
    r"|der|das|le|la|les|el|los|las)\b)+",
    re.IGNORECASE,
)
_CLOSING: Final = re.compile(
    r"\s+(?:(?:will|should|shall|together|all|also|each|then|in total|is|are|be|both|makes?|that|which|has|have|for"
    r" (?:this|the) (?:course|class)|in (?:this|the) (?:course|class))\s*)+$",
    re.IGNORECASE,
)
_PARTS_OF_IT: Final = re.compile(r"\b(?:compris|consist|divided|split|broken|made up of|parts)", re.IGNORECASE)
_SERIES: Final = re.compile(
    r"\b(?P<noun>[^\W\d_]+?)s?\s(?P<first>\d{1,2}|[IVX]{1,3}|[A-H])(?P<more>(?:,?\s(?:and\s|&\s)?(?:\d{1,2}"
    r"|[IVX]{1,3}|[A-H])\b){1,7})",
)


@dataclass(frozen=True, slots=True)
class _Paragraph:
    text: str
    lines: tuple[tuple[int, int], ...]

    def line_at(self, offset: int) -> int:
        return max((line for start, line in self.lines if start <= offset), default=self.lines[0][1])


def statements_in(lines: Sequence[str]) -> list[Entry]:
    """The shares that sentences state, in their order; those without a name say nothing of a part of the grade.

    That is what is taken off, what one has to reach, and what a part itself is made of.
    """
    found: list[Entry] = []
    counted: dict[str, tuple[str, int]] | None = None
    for paragraph in _paragraphs(lines):
        if not _SHARE.search(paragraph.text):
            continue
        before = ""
        for start, sentence in sentences_of(paragraph.text):
            for at, entry, each in _of_sentence(sentence[: MOST_READ * 4], before):
                if each and counted is None:
                    counted = _counted(lines)
                whole = _of_all(entry, counted) if each and entry.name and counted else entry
                found.append(replace(whole, line=paragraph.line_at(start + at)))
            before = sentence
        if len(found) >= MOST_STATEMENTS:
            break
    return found


def _paragraphs(lines: Sequence[str]) -> Iterator[_Paragraph]:
    """Lines that a page broke, as one text each."""
    text = ""
    starts: list[tuple[int, int]] = []
    for number, line in enumerate(lines[:MOST_LINES]):
        stripped = " ".join(line[:MOST_CHARACTERS].split())
        cells = cells_of(line[:MOST_CHARACTERS])
        if not stripped or (len(cells) > 1 and ("|" in line or len(cells[-1].split()) < 8)):
            if text:
                yield _Paragraph(text, tuple(starts))
            text, starts = "", []
            continue
        goes_on = text and len(text) + len(stripped) < MOST_JOINED and stripped[0] not in "•●○◦▪■□*·➢►✓-#"
        wrapped = goes_on and (stripped[0].islower() or (len(lines[starts[-1][1]]) >= 55 and text[-1] != ":"))
        if not wrapped or text.startswith("#"):
            if text:
                yield _Paragraph(text, tuple(starts))
            text, starts = "", []
        starts.append((len(text) + bool(text), number))
        text = f"{text} {stripped}" if text else stripped
    if text:
        yield _Paragraph(text, tuple(starts))


def _of_sentence(sentence: str, before: str) -> Iterator[tuple[int, Entry, bool]]:
    """The statements of a sentence: where, which, and whether it is one of each of several."""
    shares = list(_SHARE.finditer(sentence))
    if series := _series(sentence, shares):
        yield from series
        return
    verbal = False
    for at, share in enumerate(shares):
        start = shares[at - 1].end() if at else 0
        head = sentence[max(start, share.start() - MOST_READ) : share.start()]
        tail = sentence[share.end() : shares[at + 1].start() if at + 1 < len(shares) else len(sentence)]
        value = _value(share)
        stated = bool(_OF_GRADE.match(tail)) or share["fraction"] is not None
        each = bool(_EACH_AFTER.match(tail))
        beside = re.split(r"[,.;]", _OF_GRADE.sub("", tail))[0][:25]
        if NO_PART.search(_WHOLE.sub("", head[-80:])) or NO_PART.search(beside):
            yield share.start(), Entry("", 0, 0, "%", written=value), False
            continue
        if verb := _VERB.search(head):
            verbal = True
            for name, of_each in _subjects(head[: verb.start()], before) or [("", False)]:
                yield share.start(), Entry(name, value, 0, "%", stated, value), each or of_each
        elif (source := _FROM.match(tail)) and (stated or _SOURCE.search(source[0])):
            verbal = True
            if name := name_of(_shortened(re.split(r"\s(?:and|but)\s(?=(?:the|your)\s)", source["subject"])[0])):
                yield share.start(), Entry(name, value, 0, "%", True, value), False
        elif verbal and (name := _elided(head)):
            yield share.start(), Entry(name, value, 0, "%", stated, value), each


def _value(share: re.Match[str]) -> float:
    if share["number"]:
        return float(share["number"].replace(",", "."))
    return _FRACTIONS[share["fraction"].lower()] * _TIMES.get((share["times"] or "").lower(), 1)


def _series(sentence: str, shares: Sequence[re.Match[str]]) -> list[tuple[int, Entry, bool]]:
    """As many shares as numbers before them: "Essays 1, 2 and 3 are worth 15%, 20% and 25%"."""
    if len(shares) < 2 or (found := _SERIES.search(sentence, 0, shares[0].start())) is None:
        return []
    numbers = [found["first"], *re.findall(r"[\dA-Z]+", found["more"])]
    if len(numbers) != len(shares) or not _VERB.search(sentence[: shares[0].start()]):
        return []
    return [
        (share.start(), Entry(f"{found['noun']} {number}", _value(share), 0, "%", True, _value(share)), False)
        for number, share in zip(numbers, shares, strict=True)
    ]


def _subjects(head: str, before: str) -> list[tuple[str, bool]]:
    """What a verb is said of, each with whether it is said of each of several."""
    pieces = [piece for piece in _PIECES.split(head.rstrip(" =")) if piece is not None]
    each = False
    while len(pieces) > 1 and _SHARED_PIECE.match(pieces[-1]):
        each = each or bool(_EACH.search(pieces.pop()))
        pieces = pieces if pieces[-1].strip() else pieces[:-1]
    subject = pieces[-1]
    if _PARTS_OF_IT.search(subject):
        return []
    if _PRONOUN.match(subject):
        named = phrases_of(" ".join(pieces[:-1])) or phrases_of(before[-MOST_READ:])
        return [(named[0].title, False)] if named else []
    each = each or bool(_EACH.search(subject))
    parts = _AND.split(subject) if each else _NEW_SUBJECT.split(subject)[-1:]
    if _EACH.search(parts[-1]):
        parts = parts[-1:]
    elif len(parts) > 1 and not all(phrases_of(part) for part in parts):
        parts = [subject]
    return [(name, each) for part in parts if (name := name_of(_shortened(part)))]


def _elided(head: str) -> str:
    """The subject of a share whose verb stands with the one before: "the quiz for 10%"."""
    piece = re.sub(r"\s(?:for|at|with|by|mit|pour|un)\s*$", "", head.rstrip(" (:"))
    piece = re.sub(rf"^\s*(?:{_GRADE})?[\s,;)]*(?:(?:and|und|et|y|while|with)\s)?", "", piece, flags=re.IGNORECASE)
    return "" if len(piece.split()) > 8 or re.search(r"[,;:.]\s", piece) else name_of(_shortened(piece))


def _shortened(subject: str) -> str:
    """A subject without what opens and closes a sentence; of a long one the words that name an item."""
    subject = _WHOLE.sub("", " ".join(subject.split()).rstrip(" =,:(–—-"))
    subject = _CLOSING.sub("", _OPENING.sub("", f" {subject}"))
    if len(subject.split()) > 5 and (phrases := phrases_of(subject)):
        return phrases[0].title
    return subject


def _counted(lines: Sequence[str]) -> dict[str, tuple[str, int]]:
    """How many there are of what the text counts: "two in-class midterms"."""
    counted: dict[str, tuple[str, int]] = {}
    words = "|".join((*COUNTS, "[2-9]"))
    pattern = re.compile(
        rf"\b(?P<count>{words})\s(?P<words>(?:[\w-]+\s){{0,2}}?(?P<noun>[^\W\d_]{{3,}})s)\b", re.IGNORECASE
    )
    for line in lines[:MOST_LINES]:
        for found in pattern.finditer(line[:MOST_CHARACTERS]):
            noun = re.sub("ie$", "y", found["noun"].lower())
            if noun not in counted:
                count = COUNTS.get(found["count"].lower()) or int(found["count"])
                counted[noun] = found["words"], count
    return counted


def _of_all(entry: Entry, counted: dict[str, tuple[str, int]]) -> Entry:
    """The share of all of them, where the words or else the text say how many there are."""
    if count := count_in(entry.name):
        return replace(entry, value=entry.value * count)
    for word in reversed(re.findall(r"[^\W\d_]+", entry.name.lower())):
        if known := counted.get(word.removesuffix("s")):
            return replace(entry, name=known[0], value=entry.value * known[1])
    return entry
