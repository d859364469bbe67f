"""Titles of events that only announce an opening or availability, as added by learning platforms."""

import re

_OPENS = re.compile(
    r"""
    ^\W*(?:(?:now\ )?available(?:\ from)?|opens|availability\ starts)\s*:        # Available: Quiz 1
    |
    (?<!\bnot\ )(?<!\blonger\ )(?<!\bnicht\ )(?<!\bmehr\ )(?<!\bplus\ )(?<!\bno\ )
    \b(?:opens|is\ (?:now\ )?open|available|availability\ starts|öffnet|verfügbar|s['\u2019]ouvre|disponible|se\ abre)
    (?:\ (?:at|on|from|for|am|um|ab|für|le|à|pour|el|a|para)\b.*)?               # Quiz 1 opens at 9:00
    \W*(?:[\[(][^\])]*[\])])?\W*$                                                # Quiz 1 opens [Biology]
    """,
    re.IGNORECASE | re.VERBOSE,
)
_DEADLINE = re.compile(
    r"\b(?:due|clos(?:es|ing)|ends?|deadlines?|until|fällig|endet|schließt|bis|abgabe|jusqu|hasta|entrega)\b",
    re.IGNORECASE,
)


def only_opens(title: str) -> bool:
    """Return whether the title announces only an opening and no deadline."""
    return _OPENS.search(title) is not None and _DEADLINE.search(title) is None
