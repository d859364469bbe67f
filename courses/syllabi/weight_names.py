"""The name of a grade category, from the words next to its percentage."""

import re
from typing import Final

from courses.syllabi.kinds import NOUN
from courses.syllabi.phrases import TAKING_PART, phrases_of
from courses.syllabi.vocabulary import whole_word
from courses.syllabi.weight_numbers import COUNTS, GRADE
from courses.syllabi.words import MONTHS, WEEKDAYS, one_of

MOST_WORDS: Final = 8
"""Maximum number of words in a category's name."""

MOST_CHARACTERS: Final = 60

_NO_PART: Final = whole_word("no_part")
"""Deductions, thresholds, and categories that are part of another."""

SCALE: Final = re.compile(
    r"(?<![\d.,:/-])\d{2,3}(?:\.\d+)?\s?%?\s?(?:[-–—]|to|and)\s?(?:\d{2,3}(?![\d/-])|above|below|up)|[<>≥≤]"
    r"|\b[A-F][+-]?\s?[=:]\s?\d|\d\s?%?\s?=\s?[A-F]\b",
    re.IGNORECASE,
)
"""The scale of letters: "A 90-100", "B = 80"."""

_LETTER: Final = re.compile(
    rf"^(?:{one_of(WEEKDAYS)}|(?:{one_of(MONTHS)})(?: 20\d\d)?)$|"
    r"^(?:not|available|due|opens?|it|they)\b|^(?:grade\s)?[A-F][+\u2212–-]?(?:\s?[/=:]|$)|^(?:HD|DN?|CR|PP?|NN?|pass"
    r"|fail|excellent|good|very good|satisfactory|poor)$",
    re.IGNORECASE,
)
_OPENING: Final = re.compile(
    r"^(?:\W|(?:\d{1,2}|[a-z])[.)]\s|\b(?:(?:there (?:will be|are|is))|students?(?:'s)? (?:\w+ )?for|finally|also"
    r"|additionally|together|each|every|both|all|of|for|these|lastly|and|und|et|y|but|while|with|the|your|our"
    r"|an?|aus|de[rmns]?|die|das|l[ae]s?|el|un[ae]?|eine?[mnrs]?|l[oa]s|l')\s)+",
    re.IGNORECASE,
)
_CLOSING: Final = re.compile(
    r"[\s,]+(?:(?:(?:will|should|shall|together|all|also|each|then|in total|is|are|be|both|makes?|that|which|has|have"
    r"|the|remaining|for|at|of|de|von|à|um|max\.?|maximum|about|approximately|around|(?:for|in|of) (?:this|the)"
    r" (?:course|class))\s*)+$)",
    re.IGNORECASE,
)
BRACKETS: Final = re.compile(r"\s*[(\[][^()\[\]]{0,120}(?:[)\]]|$)")
DATED: Final = re.compile(
    rf"\b(?:{one_of(MONTHS)})\b\.?\s\d{{1,2}}(?:st|nd|rd|th)?\b|\d{{1,2}}(?:\.|st|nd|rd|th|er)?\s(?:(?:de|of)\s)?(?:{one_of(MONTHS)})\b\.?"
    rf"|\b\d{{1,2}}\s?h\b|\d{{1,2}}/\d{{1,2}}\b|^\W*(?:{one_of(WEEKDAYS)})\W*$|\b\d{{1,2}}(?::\d\d)?\s?[ap]\.?m\b",
    re.IGNORECASE,
)
OF_GRADE: Final = re.compile(rf"\s*(?:\)\s*)?(?:each\s)?{GRADE}", re.IGNORECASE)
VERB: Final = re.compile(
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

_NO_NAME: Final = whole_word("no_name")
"""Words next to a number that are not its name."""

_PRONOUN: Final = re.compile(
    r"^\W*(?:and )?(?:together )?(?:it|this|they|these|which|that|each|both|the two)\b"
    r"\W*(?:exam|one|will|are|is|of \w+)?\W*$",
    re.IGNORECASE,
)
_ONE_OF: Final = re.compile(r"\b(?:each|every|apiece|jede[rs]?|jeweils|chacune?|chaque|cada)\b", re.IGNORECASE)
_SPLIT: Final = re.compile(
    r"[;:]\s|,\s(?:and\s|und\s|et\s|y\s)?|\s[–—/-]\s|\s(?:and|but|while)\s(?=(?:each|the|your|an?)\s)"
)
_LENGTH: Final = re.compile(
    rf"\W*(?:[\d.,–-]+|an?|{'|'.join(COUNTS)})[\s-](?:words?|pages?|hours?|minutes?|min|wörter|seiten|mots|palabras)\b",
    re.IGNORECASE,
)
_EDGES: Final = " \t,;:.–—-=|*#()[]…→~+&"


def name_of(text: str) -> str:
    """The name in the words before or after a share; empty without one."""
    text = BRACKETS.sub(" ", text)
    if _NO_PART.search(text):
        return ""
    text = _OPENING.sub("", f"{' '.join(text.split()).strip(_EDGES)} ")
    text = _CLOSING.sub("", f" {text.strip()}").strip(_EDGES)
    if len(text.split()) > 5 and (phrases := phrases_of(text)):
        text = phrases[0].title
    text = DATED.sub(" ", text)
    text = " ".join(text.split()).strip(_EDGES)
    if len(text.split()) > MOST_WORDS or len(text) > MOST_CHARACTERS or sum(map(str.isalpha, text)) < 2:
        return ""
    return "" if _LETTER.search(text) else text


def says(text: str) -> bool:
    """Return whether the words beside a share can be a name."""
    return any(map(str.isalpha, _NO_NAME.sub("", OF_GRADE.sub("", text))))


def name_after(tail: str) -> str:
    """The name in the words after a share; empty without one."""
    return name_of(re.split(r"[.,;:(–—]|\s-\s", _FROM.sub("", OF_GRADE.sub("", tail), count=1), maxsplit=1)[0])


def name_before(head: str) -> tuple[str | None, bool]:
    """The name in the words before a share, None if they only refer to it, and whether the share is per piece.

    It is in the last clause. One in lower case may only describe it: "Final exam, cumulative".
    """
    verb = VERB.search(head)
    head = OF_GRADE.sub("", BRACKETS.sub(" ", (head[: verb.start()] if verb else head).rstrip(" ([")), count=1)
    clauses = [clause for clause in _SPLIT.split(head.rstrip(" ([=,:")) if any(map(str.isalpha, clause))]
    each = bool(clauses and _ONE_OF.search(clauses[-1]))
    named = [clause for clause in clauses if not (_LENGTH.match(clause) or _PRONOUN.match(clause))]
    names = [name for clause in reversed(named) if (name := name_of(clause))]
    known = [name for name in names if NOUN.search(name) or TAKING_PART.search(name)]
    aside = bool(names) and names[0][0].islower()
    return [*(known if aside else []), *names, "" if named else None][0], each
