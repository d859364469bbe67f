"""What kind of item an event is, by the words of its title."""

import re

_WORDS = (
    ("exam", r"midterms?|mid-terms?|finals?|exams?|examinations?|klausur\w*|prüfung\w*|examen|partiel|parcial"),
    ("quiz", r"quiz(?:zes)?|tests?|kurztests?|interro\w*|contrôles?"),
    ("project", r"projects?|projekt\w*|projets?|proyectos?|presentations?|capstone"),
    ("lab", r"labs?|laborator\w*|praktik\w*"),
    ("paper", r"papers?|essays?|thesis|hausarbeit\w*|seminararbeit\w*|dissertations?|ensayos?|drafts?|reports?"),
    (
        "assignment",
        r"assignments?|homework|hw|problem sets?|psets?|devoirs?|tareas?|übungsbl\w+|hausaufgaben?|exercises?",
    ),
)
_KINDS = [(kind, re.compile(rf"\b(?:{words})(?=\b|\d)", re.IGNORECASE)) for kind, words in _WORDS]


def kind_of(title: str) -> str:
    """The kind that the title names, or `other`."""
    return next((kind for kind, words in _KINDS if words.search(title)), "other")
