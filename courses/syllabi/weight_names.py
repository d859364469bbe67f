"""The name of a grade category, from the words next to its percentage."""

import re
from typing import Final

from courses.syllabi.phrases import phrases_of
from courses.syllabi.words import MONTHS, WEEKDAYS, one_of

MOST_WORDS: Final = 8
"""Maximum number of words in a category's name."""

MOST_CHARACTERS: Final = 60

NO_PART: Final = re.compile(
    r"\b(?:late|penalt\w+|deduct\w*|below|above|at least|minimum|maximum|less than|more than|fewer|lower than"
    r"|higher|per day|(?:each|every|a|one) day|plagiar\w*|loses?|lost|reduc\w+|a curve|up to|or better|extra credit"
    r"|bonus|earned|score[ds]?|scoring|miss(?:ed|ing)?|drop\w*|pass(?:ing)?|fail\w*|responsible|your own|similar\w*"
    r"|of students|discount|refund|tuition|accura\w+|chance|probability|attain|achieve|obtain|within|24 hours|total|sum"
    r"|altogether|threshold|cutoff|original|interest|capped|must|pénalit\w+|retard|note de passage|au moins|au minimum"
    r"|seuil|mindestens|weniger als|abzug|verspätet\w*|zugelassen|zulassung|bestanden|exig\w+|pierden?|descuent\w+"
    r"|al menos|por lo menos|mínim[oa]s?|obteng\w+|aprobar|asistencia mínima|penaliza\w*)\b",
    re.IGNORECASE,
)
"""Deductions, thresholds, and categories that are part of another."""

SCALE: Final = re.compile(
    r"(?<![\d.,/-])\d{2,3}(?:\.\d+)?\s?%?\s?(?:[-–—]|to|and)\s?(?:\d{2,3}(?![\d/-])|above|below|up)|[<>≥≤]"
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
_EDGES: Final = " \t,;:.–—-=|*#()[]…→~+&"


def name_of(text: str) -> str:
    """The name in the words before or after a share; empty without one."""
    if NO_PART.search(text) or SCALE.search(text):
        return ""
    text = BRACKETS.sub(" ", text)
    text = _OPENING.sub("", f"{' '.join(text.split()).strip(_EDGES)} ")
    text = _CLOSING.sub("", f" {text.strip()}").strip(_EDGES)
    if len(text.split()) > 5 and (phrases := phrases_of(text)):
        text = phrases[0].title
    text = DATED.sub(" ", text)
    text = " ".join(text.split()).strip(_EDGES)
    if len(text.split()) > MOST_WORDS or len(text) > MOST_CHARACTERS or sum(map(str.isalpha, text)) < 2:
        return ""
    return "" if _LETTER.search(text) else text
