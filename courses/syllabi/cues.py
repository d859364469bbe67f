"""Words that show the meaning of a line: something is due, held, open or canceled."""

import re
from typing import Final

from courses.syllabi.vocabulary import any_word, whole_word
from courses.syllabi.words import WEEKDAYS, one_of

DUE: Final = whole_word("due")
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

OPEN: Final = re.compile(rf"(?<!location )(?<!room )(?<!place )\b(?:{any_word('open')})(?!\w)", re.IGNORECASE)
"""Words for an open date."""

NO_ITEM: Final = whole_word("no_item")
"""Calendar entries that are not items: days off, deadlines of the registrar."""

REGISTRAR: Final = whole_word("registrar")
"""Sections with deadlines that are not items."""

UNGRADED: Final = re.compile(r"\b(?:not |un)graded\b", re.IGNORECASE)
"""Words for work without a grade, which is rarely an item."""

SAYS: Final = whole_word("says")
"""A verb: the text is a sentence, not a title."""

PAST: Final = whole_word("past")
"""References to an earlier course."""
