"""Read course fields in the head of a syllabus: name, code, term, meeting times, institution, subject."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from courses.syllabi.calendars import HEAD
from courses.syllabi.terms import find_term
from courses.syllabi.words import any_word

_CODE: Final = re.compile(
    r"(?<![\w/.@-])(?!(?:ISBN|HTTP|COVID|ROOM|RM|FALL|TERM|MAY|PAGE|WEEK|ZOOM|SEC|PO|BOX|CRN|MWF|MW|TTH|TR)\b"
    r"|[A-Z]{5,} 20\d\d\b|[A-Z]{2} \d{5}\b)[A-ZÄÖÜ]{2,8}(?:[ -][A-Z]{1,3})?[ -]{0,2}[A-Za-z]?\d{2,5}[A-Z]{0,2}"
    r"(?:\.\d{1,2})?(?![\w@]|/\d|\.\w)"
)
"""Not a term ("SPRING 2026"), nor a state with its ZIP code."""

_NO_CODE: Final = re.compile(
    r"\b(?:office|room|phone|hall|building|location|classroom|prerequisites?|pre-reqs?|lectures?|hours)\b",
    re.IGNORECASE,
)
_LABELS: Final = {
    "name": (
        r"course (?:title|name)(?: and number)?|title(?: of course)?|module (?:title|name)|kursname|modul"
        r"|titel|intitulé|nombre del curso|asignatura|course"
    ),
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
    r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?s?\.?|(?:M|TU?|W|TH|R|F)+"
    r"|We|Sa|Su|Mo|Di|Mi|Do|Fr|lundi|mardi|mercredi|jeudi|vendredi|lunes|martes|miércoles|jueves|viernes)"
)
_MEETS: Final = re.compile(
    rf"(?<![\w.])(?i:{_DAYS})(?:(?:\s?[,/&]\s?|\s(?:and|und|et|y|&)\s|\s)(?i:{_DAYS})){{0,6}},?:?\s+(?:from |at "
    rf"|, )?\d{{1,2}}(?:[:.h]\d\d)?\s?(?i:[ap]\.?m\.?)?\s?(?:-|–|—|to|bis|à)\s?\d"
    r"(?:(?!\.\s+[A-Z][a-z]+:)[^|])*",
)
_OFFICE_HOURS: Final = re.compile(
    r"\b(?:office|help|student|drop-?in|consultation|tutoring) hours?\b|sprechstunde", re.IGNORECASE
)
_NO_NAME: Final = re.compile(rf"\b(?:{any_word('no_course_name')})\b|@", re.IGNORECASE)
_SECTION: Final = re.compile(
    r"[,(\s-]*\b(?:sections?|sec\.?|crn)\b.*$|\s*\((?:\d+ (?:credits?|units?)|online)[^)]*\)", re.IGNORECASE
)
_PARTS: Final = re.compile(r"\||\t| {3,}|\s[–—-]\s")
_AFTER_INSTITUTION: Final = re.compile(r",? (?:Department|School of|Fall|Spring|Summer|Winter|Autumn|Room|Rm)\b")
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
    head = [stripped[:300] for line in lines[:HEAD] if (stripped := line.strip(" #*_\t"))]
    named = find_term("\n".join(lines))
    term = named.name if named else ""
    code = _first(_CODE, [line for line in head if not _NO_CODE.search(line)])
    titles = [_labelled("name", head), *(line for line in head if code and code in line), *head[:3]]
    return CourseFields(
        name=_cut(next((name for line in titles if (name := _name_in(line, code, term))), ""), 120),
        code=_cut(code, 20),
        term=_cut(term, 60),
        meets=_cut(_meets(head).strip(" ."), 120),
        institution=_cut(_AFTER_INSTITUTION.split(_first(_INSTITUTION, head))[0].strip(" ,.-"), 120),
        subject=_cut(_labelled("subject", head), 80),
    )


def _first(pattern: re.Pattern[str], lines: Sequence[str]) -> str:
    """The first match, or an empty text."""
    return next((found[0] for line in lines if (found := pattern.search(line))), "")


def _meets(head: Sequence[str]) -> str:
    """The first time of a week that is not that of office hours, in its line or in the label above it."""
    for at, line in enumerate(head):
        for found in _MEETS.finditer(line):
            label = head[at - 1] if at and not found.start() and head[at - 1].endswith(":") else ""
            if not _OFFICE_HOURS.search(label + line[: found.start()]):
                return found[0]
    return ""


def _labelled(field: str, head: Sequence[str]) -> str:
    """The text after the first label of a field."""
    found = next((found for line in head if (found := _LABELLED[field].fullmatch(line))), None)
    return found["said"].split("|")[0].strip(" :") if found else ""


def _name_in(line: str, code: str, term: str) -> str:
    """The first part of a line that may be a name, without code, term and section."""
    for known in filter(None, (code, term)):
        line = line.replace(known, " | ")
    for part in _PARTS.split(line):
        name = _SECTION.sub("", part).strip(_EDGES)
        if len(name) > 3 and name[0].isupper() and not (_NO_NAME.search(name) or _INSTITUTION.fullmatch(name)):
            return name
    return ""


def _cut(text: str, most: int) -> str | None:
    """The text with single spaces, if it fits its field."""
    text = " ".join(text.split())
    return text if 0 < len(text) <= most else None
