"""Read course fields in the head of a syllabus: name, code, term, meeting times, institution, subject."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from courses.syllabi.calendars import HEAD
from courses.syllabi.terms import find_term

_CODE: Final = re.compile(
    r"(?<![\w/.@-])(?P<code>(?!(?:ISBN|HTTP|COVID|ROOM|RM|FALL|SPRING|SUMMER|WINTER|PAGE|WEEK|ZOOM|SEC|PH|PO|BOX"
    r"|AM|PM|CRN|UTC|GMT|EST|CST|PST|FAX|TEL|APA|MLA|WS|SS|MWF|MW|TR|TTH|MTWTHF|HALL|BLDG)\b)"
    r"[A-ZÄÖÜ]{2,8}(?:[ -][A-Z]{1,3})?[ -]{0,2}[A-Za-z]?\d{2,5}[A-Z]{0,2}(?:\.\d{1,2})?)(?![\w@]|/\d|\.\w)"
)
_NO_CODE: Final = re.compile(r" (?:19|20)\d\d$|^[A-Z]{2} \d{5}$")
"""A term ("MAY 2026"), and a state with its ZIP code."""

_PLACE: Final = re.compile(
    r"\b(?:office|room|phone|hall|building|location|classroom|prerequisites?|pre-reqs?|lectures?|hours)\b",
    re.IGNORECASE,
)
_LABELS: Final = {
    "name": (
        r"course (?:title|name)(?: and number)?|title(?: of course)?|module (?:title|name)|kursname|modul"
        r"|titel|intitulé|nombre del curso|asignatura|course"
    ),
    "code": r"course (?:code|number|no\.?|id)|module code|code|kursnummer|código",
    "subject": r"subject|subject area|discipline|fach|matière|materia",
}
_LABELLED: Final = {
    field: re.compile(rf"(?:{words})\s*(?::|\||\t| {{3,}})\s*(?P<said>\S.*)", re.IGNORECASE)
    for field, words in _LABELS.items()
}
_INSTITUTION: Final = re.compile(
    r"(?:[A-ZÄÖÜÉ][\w.'&-]+,? (?:of |at |for |and |de |la |du |des |del |für |the )*){0,6}(?:University|College"
    r"|Institute of Technology|Polytechnic|Academy|Universität|Hochschule|Université|Universidad|École|Institute"
    r"|Universit[àa])\b(?:,? (?:of |at |for |in |de |la |du |des |del |für |the |- )*[A-ZÄÖÜÉ][\w.'-]+){0,6}"
)
_DAYS: Final = (
    r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?s?\.?|MT?W?(?:TH|R)?F?|TTH|TR|TF|WF|TH|T|W|F"
    r"|R|Mo|Di|Mi|Do|Fr|lundi|mardi|mercredi|jeudi|vendredi|lunes|martes|miércoles|jueves|viernes)"
)
_MEETS: Final = re.compile(
    rf"(?<![\w.])(?i:{_DAYS})(?:(?:\s?[,/&]\s?|\s(?:and|und|et|y|&)\s|\s)(?i:{_DAYS})){{0,6}},?:?\s+(?:from |at "
    rf"|, )?\d{{1,2}}(?:[:.h]\d\d)?\s?(?i:[ap]\.?m\.?)?\s?(?:-|–|—|to|bis|à)\s?\d.*",
)
_NO_NAME: Final = re.compile(
    r"\b(?:^schedule|syllabus|instructor|professor|teaching assistants?|cross-listed|dr\.|email|office|section"
    r"|credits?|prerequisites?|university|college|institute|department|school|faculty|room|zoom|page \d|phone|website"
    r"|lectures?:|meets|meeting|location|time|http|www|course (?:information|description|outline|schedule)|handbook"
    r"|catalog|crn|hochschule|universität)\b|@",
    re.IGNORECASE,
)
_SECTION: Final = re.compile(
    r"[,(\s-]*\b(?:sections?|sec\.?|crn)\b.*$|\s*\((?:\d+ (?:credits?|units?)|online)[^)]*\)", re.IGNORECASE
)
_EDGES: Final = " \t'\"“”:;,.|–—-#*()/"


@dataclass(frozen=True, slots=True)
class CourseFields:
    """The course fields in a syllabus; None if missing.

    Lengths are limited to those of a course.
    """

    name: str | None = None
    code: str | None = None
    term: str | None = None
    meets: str | None = None
    institution: str | None = None
    subject: str | None = None


def course_fields(lines: Sequence[str]) -> CourseFields:
    """The course fields in the first lines of a text.

    Args:
        lines: as returned by `readable`.
    """
    head = [line.replace("**", "").strip(" #*_\t") for line in lines[:HEAD]]
    head = [line[:300] for line in head if line]
    labelled = {field: _labelled(field, head) for field in _LABELLED}
    term = find_term("\n".join(head)) or find_term("\n".join(lines))
    code = _first_code([labelled["code"] or "", labelled["name"] or "", *head[:25]])
    name = _name(head[:25], labelled["name"], code, term.name if term else None)
    return CourseFields(
        name=_cut(name, 120),
        code=_cut(code, 20),
        term=_cut(term.name if term else None, 60),
        meets=_cut(_meets(head), 120),
        institution=_cut(_institution(head[:40]), 120),
        subject=_cut(labelled["subject"], 80),
    )


def _labelled(field: str, head: Sequence[str]) -> str | None:
    for line in head:
        if found := _LABELLED[field].fullmatch(line):
            said = re.split(r"\s*\|\s*|\t+| {3,}", found["said"].strip())[0]
            return said.strip(" :|") or None
    return None


def _first_code(head: Sequence[str]) -> str | None:
    for line in head:
        if _PLACE.search(line):
            continue
        for found in _CODE.finditer(line):
            code = found["code"].strip()
            if not _NO_CODE.search(code):
                return code
    return None


def _name(head: Sequence[str], labelled: str | None, code: str | None, term: str | None) -> str | None:
    """The name: labeled, else beside the code, else in the first lines."""
    if labelled and (name := _without(labelled, code, term)):
        return name
    beside = [line for line in head if code and code in line]
    below = [head[at] for at in (0, *range(1, 4)) if beside and at < len(head)]
    named = (name for line in (*beside, *below) if (name := _without(line, code, term)))
    first = (name for line in head[:3] if (name := _without(line, code, term)) and " " in name)
    return next(named, None) or next(first, None)


def _without(line: str, code: str | None, term: str | None) -> str | None:
    """The line without code, term and section, if a name remains."""
    for part in (code, term):
        if part:
            line = line.replace(part, " | ")
    parts = [
        " ".join(_SECTION.sub("", part).split()).strip(_EDGES) for part in re.split(r"\||\t| {3,}|\s[–—-]\s", line)
    ]
    for part in parts:
        if (
            (part[:1].isupper() or part[:1].isdigit())
            and part[-1:] not in ":>?!"
            and 3 < len(part) <= 100
            and sum(map(str.isalpha, part)) > len(part) * 0.6
            and not _NO_NAME.search(part)
            and not _INSTITUTION.fullmatch(part)
        ):
            return part
    return None


def _meets(head: Sequence[str]) -> str | None:
    found = next((found for line in head if (found := _MEETS.search(line))), None)
    return re.split(r"\s*\|\s*|\.\s+(?=[A-Z][a-z]+:)", found[0])[0].strip(" .|") if found else None


def _institution(head: Sequence[str]) -> str | None:
    named = (found[0] for line in head if "@" not in line and (found := _INSTITUTION.search(line)) and " " in found[0])
    said = re.split(r",? (?:Department|School of|Fall|Spring|Summer|Winter|Autumn|Room|Rm)\b", next(named, ""))[0]
    return said.strip(" ,.-") or None


def _cut(text: str | None, most: int) -> str | None:
    """The text with single spaces, if it fits its field."""
    text = " ".join(text.split()) if text else ""
    return text if 0 < len(text) <= most else None
