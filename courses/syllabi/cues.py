"""Words that show the meaning of a line: something is due, held, open or canceled."""

import re
from typing import Final

from courses.syllabi.words import WEEKDAYS, one_of

DUE: Final = re.compile(
    r"\b(?:due|deadlines?|close[sd](?=:)|submit(?:ted)?|turn(?:ed)? in|hand(?:ed)? in|collected|no later than|abgabe"
    r"|abzugeben|fällig|à rendre|date limite|échéance|à remettre|remise|rendu|entrega(?:r(?:á|án|se)?)?|entregas|se entregan?"
    r"|fecha límite|upload(?:ed)?|einzureichen|inleveren|entrega até|consegna)\b",
    re.IGNORECASE,
)
"""Words for handing something in."""

DUE_LABEL: Final = re.compile(
    r"\W*(?:(?:due|submission) )?(?:due|deadline|date|abgabe(?:termin)?|termin|échéance|remise|date limite|entrega"
    r"|fecha(?: límite| de entrega)?)(?: (?:date|on|by))?\s?:",
    re.IGNORECASE,
)
"""The label of a line with a due date: "Due: October 8"."""

BY: Final = re.compile(
    r"\b(?:by|no later than|bis(?: zum)?|avant le|antes del)\s(?:\d{1,2}(?::\d\d)?\s?(?:[ap]\.?m\.?)?,?\s(?:on\s)?)?"
    rf"(?:$|(?:{one_of(WEEKDAYS)})\b)",
    re.IGNORECASE,
)
"""Words directly before a deadline."""

OPEN: Final = re.compile(
    r"(?<!location )(?<!room )(?<!place )\b(?:T\.?B\.?[AD]\.?|to be (?:announced|determined|scheduled|arranged)"
    r"|date tba|noch offen|nach (?:absprache|vereinbarung)"
    r"|wird (?:noch )?bekannt|à (?:déterminer|préciser|confirmer)|por (?:confirmar|determinar|definir|anunciar))(?!\w)",
    re.IGNORECASE,
)
"""Words for an open date."""

NO_ITEM: Final = re.compile(
    r"\b(?:no (?:class|classes|lecture|lab|labs|school|quiz|homework)|holidays?|break|recess|vacation|thanksgiving"
    r"|reading (?:week|day)s?|study (?:week|days?)|office hours|labor day|veterans day|memorial day|(?:first"
    r"|last) day|inicio de clases|feriado|sprechstunde|altklausur(?:en)?"
    r"|feiertag|ferien|pause|weihnachts\w+|férié|vacances|festivo|vacaciones|semana santa|class cancell?ed"
    r"|university closed|campus closed|unterrichtsfrei|vorlesungsfrei|keine vorlesung|pas de cours|no hay clase|entrega de (?:calificaciones|notas)|notenbekanntgabe|remise des notes"
    r"|sin clases?|não haverá aula|nessuna lezione|geen college|spring recess|office hour|remedia\w+)\b",
    re.IGNORECASE,
)
"""Calendar entries that are not items: days off, deadlines of the registrar."""

REGISTRAR: Final = re.compile(
    r"\b(?:add/drop|drop|withdraw\w*|registration|register|refunds?|census|inscripci[óo]n|inscription|matrícula|tuition|fees?"
    r"|last day to|make-?ups?|accommodations?|dar de baja"
    r"|abandon|rücktritt|anmeldung|einsicht|inzage|rimborso|trancamento)\b",
    re.IGNORECASE,
)
"""Sections with deadlines that are not items."""

UNGRADED: Final = re.compile(r"\b(?:not |un)graded\b", re.IGNORECASE)
"""Words for work without a grade, which is rarely an item."""

SAYS: Final = re.compile(
    r"\b(?:is|are|was|will|takes?|held|scheduled for|should|must|has|have|may|can|wird|findet|finden|ist|sind|sera|est"
    r"|aura|será|es|tendrá|realizará)\b",
    re.IGNORECASE,
)
"""A verb: the text is a sentence, not a title."""

PAST: Final = re.compile(r"\b(?:was|were|last year|previous|war|waren|était|fue)\b", re.IGNORECASE)
"""References to an earlier course."""
