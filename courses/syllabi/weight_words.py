"""The words and numbers of grade categories: names, percentages, points, fractions, and counts of equal pieces."""

import re
from dataclasses import dataclass, replace
from typing import Final

from courses.syllabi.phrases import TAKING_PART, phrases_of
from courses.syllabi.words import MONTHS, NOUN, VOCABULARY, WEEKDAYS, any_word, one_of, whole_word

MOST_WORDS: Final = 8
MOST_NAMED: Final = 60
"""Maximum number of words and of characters in a category's name."""

_FRACTIONS: Final = {word: one["percent"] for one in VOCABULARY["fractions"] for word in one["words"]}
_COUNTS: Final = {word: number for number, words in enumerate(VOCABULARY["counts"]) for word in words}
_SPELLED: Final = dict(zip(VOCABULARY["numbers"], (*range(1, 20), *range(20, 100, 5)), strict=True))
"""Numbers below twenty, and multiples of five, in English words."""

_GRADE: Final = (
    r"(?:of|toward|towards|in|into|der|des|de|del|in die)\s(?:(?:the|your|their|a|each|student'?s?|la|el|l'|tu|su"
    r"|final|overall|total|course|class|semester|whole)\s?){0,4}\s?"
    r"(?:grade|mark|score|total|\w*note|nota|calificación|évaluation|it)\b"
)
_SHARE: Final = re.compile(
    r"(?:(?<![\d.,/@\u00d7x*–-])(?:(?P<times>\d{1,2}) ?(?:[@x\u00d7]|at) ?)?(?:"
    r"(?P<number>\d{1,2},\d{3}|\d{1,4}(?:[.,]\d{1,2})?)\s?(?:(?P<points>(?:points?|pts?|punkten?|puntos)\b\.?)"
    r"|%(?! off| per )|(?:percent|per cent|prozent|pour cent|por ciento)\b(?! off| per ))"
    r"|(?<![^\s:.(=])(?:(?<=\(\d [x\u00d7] )|(?<![\dx\u00d7] ))(?!\d\))(?P<bare>\d{1,4}(?:\.\d{1,2})?))"
    rf"|\b(?:(?P<parts>{'|'.join(_COUNTS)})[ -])?(?P<fraction>{'|'.join(_FRACTIONS)})(?=\s+{_GRADE})"
    rf"|\b(?P<spelled>{'|'.join(sorted(_SPELLED, key=len, reverse=True))}) (?:percent|per cent)\b)"
    r"(?P<each>\s?(?:each|apiece|je\b|chacune?|cada un[oa]?)\b)?"
    r"(?(bare)(?=\W*$|,(?!\d)|[;)]| [/|(]| (?:(?:is|are|comes?) for|and|und|et|y)\b))",
    re.IGNORECASE,
)
"""A percentage, points, a fraction of the grade, or a bare number at the end of a line, a clause or a cell."""

MAYBE: Final = re.compile(rf"\d|\b(?:{'|'.join([*_FRACTIONS, *_SPELLED])})\b", re.IGNORECASE)
"""What is in a row with a share."""

_COUNT: Final = re.compile(
    rf"(?<![-/])\b(?:(?P<figures>[2-9]|1\d)\b(?![-/%])|(?P<word>{'|'.join(_COUNTS)})\b"
    r"|I(?:, II)?,?(?: and| &)? (?P<roman>III?)\b)",
    re.IGNORECASE,
)
_LISTED: Final = re.compile(r"\b\d{1,2}(?:, \d{1,2})*(?:\s?[-–]\s?|,? (?:and|&|to) )\d{1,2}\b")
"""The numbers of several pieces: "Projects 1-4", "Projects 1, 2 and 3"."""

_DETAILS: Final = re.compile(
    r"[(\[][^()\[\]]{0,80}\d[^()\[\]]{0,80}[)\]](?=[^\w(]{0,60}\d+(?:[.,]\d+)?\s?(?:%|points?\b|pts\b))"
    rf"|(?P<share>(?:%|pts|points)(?:\s{_GRADE})?)\s?[(\[][^()\[\]]{{0,80}}\d[^()\[\]]{{0,80}}[)\]]",
    re.IGNORECASE,
)
"""Brackets that list the parts of an adjacent share: "Analyses (3 x 10%) ... 30%"."""

_SCALE: Final = re.compile(
    r"(?<![\d.,:/-])\d{2,3}(?:\.\d+)?\s?%?\s?(?:[-–—]|to|and)\s?(?:\d{2,3}(?![\d/-])|above|below|up)"
    r"|[<≥≤]|(?<=[^>\s])\s*>|\b[A-F][+-]?\s?[=:]\s?\d|\d\s?%?\s?=\s?[A-F]\b",
    re.IGNORECASE,
)
"""The scale of letters: "A 90-100", "B = 80". A mark of quotation is none."""

_DATED: Final = re.compile(
    rf"\b(?:{one_of(MONTHS)})\b\.?\s\d{{1,2}}(?:st|nd|rd|th)?\b|\d{{1,2}}(?:\.|st|nd|rd|th|er)?\s(?:(?:de|of)\s)?(?:{one_of(MONTHS)})\b\.?"
    rf"|\b\d{{1,2}}\s?h\b|\d{{1,2}}/\d{{1,2}}\b|^\W*(?:{one_of(WEEKDAYS)})\W*$|\b\d{{1,2}}(?::\d\d)?\s?[ap]\.?m\b",
    re.IGNORECASE,
)
_NO_PART: Final = whole_word("no_part")
"""Deductions, thresholds, and categories that are part of another."""

_NO_NAME: Final = whole_word("no_name")
"""Words next to a number that are not its name."""

_OTHER: Final = re.compile(
    rf"^(?:{one_of(WEEKDAYS)}|(?:{one_of(MONTHS)})(?: 20\d\d)?|{any_word('marks')})$"
    r"|^(?:not|available|due|opens?|it|they)\b|^(?:grade\s)?[A-F][+\u2212–-]?(?:\s?[/=:]|$)",
    re.IGNORECASE,
)
"""A weekday, a month, or a mark beside a number."""

_OPENING: Final = re.compile(rf"^(?:\W|(?:\d{{1,2}}|[a-z])[.)]\s|\b(?:{any_word('name_openings')})\s)+", re.IGNORECASE)
_CLOSING: Final = re.compile(rf"[\s,]+(?:(?:(?:{any_word('name_closings')})\s*)+$)", re.IGNORECASE)
_BRACKETS: Final = re.compile(r"\s*[(\[][^()\[\]]{0,120}(?:[)\]]|$)")
_OF_GRADE: Final = re.compile(rf"\s*(?:\)\s*)?(?:each\s)?{_GRADE}", re.IGNORECASE)
_VERB: Final = re.compile(
    rf"\b(?:{any_word('share_verbs')})\b(?:\s(?:{any_word('share_joins')})){{0,4}}\s*$", re.IGNORECASE
)
_FROM: Final = re.compile(rf"[\s:)–—=-]{{0,9}}(?:(?:{any_word('name_joins')})\s)*", re.IGNORECASE)
"""Words between a share and the name that follows it."""

_PRONOUN: Final = re.compile(
    rf"^\W*(?:and )?(?:together )?(?:{any_word('pronouns')})\b\W*(?:exam|one|will|are|is|of \w+)?\W*$", re.IGNORECASE
)
_EACH: Final = whole_word("apiece")
_SPLIT: Final = re.compile(
    r"[;:]\s|,\s(?:(?:and|und|et|y)\s)?|\s[–—/-]\s|\s(?:and|but|while)\s(?=(?:each|the|your|an?)\s)"
)
_LENGTH: Final = re.compile(
    rf"\W*(?:[\d.,–-]+|an?|{'|'.join(_COUNTS)})[\s-](?:words?|pages?|hours?|minutes?|min|wörter|seiten|mots|palabras)\b",
    re.IGNORECASE,
)
_EDGES: Final = " \t,;:.–—-=|*#()[]…→~+&"


@dataclass(frozen=True, slots=True)
class Share:
    """A number with its unit (`%`, `points`, or empty) and its position in a text. `each` means per piece."""

    value: float
    unit: str
    each: bool
    start: int
    end: int


def weighable(sentence: str) -> str:
    """A sentence, of the same length, without the parts of an adjacent share, up to a scale of letters."""
    text = _SCALE.split(sentence, maxsplit=1)[0]
    return _DETAILS.sub(lambda found: (found["share"] or "").ljust(len(found[0])), text)


def shares_in(text: str, *, bare: bool) -> list[Share]:
    """The shares in a text: percentages, else points, else bare numbers.

    With `bare`, a number without a unit can be a share. It can always be one that continues percentages or points, if
    such numbers are more than these: "etudes 50 %, songs 20, jury 30".
    """
    text = _DATED.sub(lambda found: " " * len(found[0]), text)
    shares = [_share(found) for found in _SHARE.finditer(text)]
    units = {one.unit for one in shares}
    unit = "%" if "%" in units else "points"
    numbers = sum(not one.unit for one in shares)
    if not bare and (unit not in units or numbers * 2 <= len(shares)):
        shares = [one for one in shares if one.unit]
    return [replace(one, unit=unit) for one in shares if one.unit in {unit, ""}]


def _share(found: re.Match[str]) -> Share:
    if found["spelled"]:
        value: float = _SPELLED[found["spelled"].lower()]
    elif found["fraction"]:
        value = _FRACTIONS[found["fraction"].lower()] * _COUNTS.get((found["parts"] or "").lower(), 1)
    else:
        value = float(re.sub(r",(?=\d{3})", "", found["number"] or found["bare"]).replace(",", "."))
    unit = "" if found["bare"] else "points" if found["points"] else "%"
    return Share(value * int(found["times"] or 1), unit, bool(found["each"]), *found.span())


def pieces_of(name: str, said: str) -> int:
    """The number of equal items, by the name, else by the words around; 0 if unknown."""
    if listed := _LISTED.search(name):
        numbers = [int(number) for number in re.findall(r"\d+", listed[0])]
        return numbers[-1] - numbers[0] + 1
    found = _COUNT.search(name) or _COUNT.search(said)
    if found is None:
        return 0
    return len(found["roman"]) if found["roman"] else _COUNTS.get(found[0].lower()) or int(found["figures"])


def is_known(name: str) -> bool:
    """Return whether a name has a known word for work or for taking part."""
    return bool(NOUN.search(name) or TAKING_PART.search(name))


def plural_of(name: str) -> str:
    """The plural of a name that ends with a known word, otherwise the name."""
    plurals = {f"{name}s", f"{name}zes", re.sub("y$", "ies", name), re.sub("is$", "es", name)} - {name}
    return next((one for one in sorted(plurals) if any(noun.end() == len(one) for noun in NOUN.finditer(one))), name)


def name_of(text: str) -> str:
    """The name in the words before or after a share; empty without one."""
    text = _BRACKETS.sub(" ", text)
    if _NO_PART.search(text):
        return ""
    text = _OPENING.sub("", f"{' '.join(text.split()).strip(_EDGES)} ")
    text = _CLOSING.sub("", f" {text.strip()}").strip(_EDGES)
    if len(text.split()) > 5 and (phrases := phrases_of(text)):
        text = phrases[0].title
    text = _DATED.sub(" ", text)
    text = " ".join(text.split()).strip(_EDGES)
    if len(text.split()) > MOST_WORDS or len(text) > MOST_NAMED or sum(map(str.isalpha, text)) < 2:
        return ""
    return "" if _OTHER.search(text) else text


def says(text: str) -> bool:
    """Return whether the words beside a share can be a name."""
    return any(map(str.isalpha, _NO_NAME.sub("", _OF_GRADE.sub("", text))))


def is_before(head: str, tail: str) -> bool:
    """Return whether a share between these words belongs to those before it, rather than to those after it."""
    return says(head) and (bool(_VERB.search(head)) or not says(tail))


def name_after(tail: str) -> str:
    """The name in the words after a share; empty without one."""
    return name_of(re.split(r"[.,;:(–—]|\s-\s", _FROM.sub("", _OF_GRADE.sub("", tail), count=1), maxsplit=1)[0])


def name_before(head: str) -> tuple[str | None, bool]:
    """The name in the words before a share, None if they only refer to it, and whether the share is per piece.

    It is in the last clause. One in lower case may only describe it: "Final exam, cumulative".
    """
    verb = _VERB.search(head)
    head = _OF_GRADE.sub("", _BRACKETS.sub(" ", (head[: verb.start()] if verb else head).rstrip(" ([")), count=1)
    clauses = [clause for clause in _SPLIT.split(head.rstrip(" ([=,:")) if any(map(str.isalpha, clause))]
    each = bool(clauses and _EACH.search(clauses[-1]))
    named = [one for one in clauses if not (_PRONOUN.match(one) or (_LENGTH.match(one) and not is_known(one)))]
    names = [name for clause in reversed(named) if (name := name_of(clause))]
    aside = bool(names) and names[0][0].islower()
    known = [name for name in names if aside and is_known(name)]
    return [*(name for name in known if name[0].isupper()), *known, *names, "" if named else None][0], each
