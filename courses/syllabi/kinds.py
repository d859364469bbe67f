"""The kind of an item from the words of its title in English, German, French and Spanish."""

import re
from typing import Final

_WORDS: Final = (
    ("exam",
     (r"mid-?terms?(?! (?:paper|essay|project|report|presentation|draft|portfolio|reflection))"
      r"|(?<!\bare )(?<!\bis )finals?(?!\s+(?!(?:is|are|will|takes?|on|at|due|in|has|from|and|or|must|begins?|(?:mon"
      r"|tue|wed|thu|fri|sat|sun)[a-z]*)\b)[a-z])|exams?|examinations?|[a-zäöüß]*(?:klausur|prüfung)(?:en)?|examens?"
      r"|partiels?|parcial(?:es)?|exámen(?:es)?|exámenes|provas?|esam[ei]|tentamens?|recuperatorios?|rattrapages?"
      r"|prelims?|jur(?:y|ies)|intra|osces?|oral interviews?|vivas?|kolloquium|(?:lab )?practicals?(?! \w+s\b)")),
    ("quiz",
     (r"quiz(?:zes|ze)?|(?:kurz|ein|ab)?testate?|galops? d'essai"
      r"|(?<!-)(?<!\b[tzF] )(?<!unit )(?<!square )tests?(?!\s(?!(?:is|are|will|on|at|due|in|has|from|and|or"
      r"|must)\b)(?-i:[a-z]))|zwischentests?|kurztests?|check-?offs?|dictations?|dictées?|diktate?"
      r"|interro(?:gation)?s?|contrôles?|pruebas?")),
    ("project", r"projects?|projekt\w*|projets?|proyectos?|capstone|dossiers?"),
    ("lab", r"labs?|laborator(?:y|ies)|lab reports?|praktikum|laboratorios?|laborbericht\w*"),
    ("paper",
     (r"papers?(?! cop(?:y|ies)\b)|essays?|thesis|hausarbeit(?:en)?|seminararbeit|aufsatz|mémoire|ensayos?"
      r"|dissertations?|(?:final|finished|revised) versions?"
      r"|travail de session|trabajo final|travail final|monografías?|trabalhos?|relazion[ei]|verslag(?:en)?")),
    ("assignment",
     (r"assignments?|homeworks?|hws?|problem sets?|p-?sets?|devoirs?|tareas?|compit[io]|exercícios?(?:-programas?)?"
      r"|opdracht(?:en)?|übungsbl(?:att|ätter)|hausaufgaben?|aufgabenbl(?:att|ätter)|worksheets?|write-?ups?"
      r"|problem sheets?|hausübung(?:en)?|travail pratique|travaux pratiques|trabajos? prácticos?|prácticas? \d")),
    ("project",
     (r"presentations?|posters?|demos?|demonstrations?|proposals?|pitch|showcase|[a-zäöüß]*präsentation(?:en)?|referate?"
      r"|vortrag|vorträge|exposés?|presentación|presentaciones|exposici(?:ón|ones)|portfolios?|mid-?reviews?"
      r"|final reviews?|pin-?ups?|recitals?")),
    ("paper",
     (r"drafts?|outlines?|reports?|literature review|prospectus|rapports?|bericht|informes?|reportes?|protokolle?")),
    ("assignment",
     (r"exercises?|reflections?|journals?|summar(?:y|ies)|bibliograph(?:y|ies)|critiques?|commentar(?:y|ies)"
      r"|case stud(?:y|ies)|discussion posts?|discussion boards?|discussions?(?= \d)|milestones?|reading responses?"
      r"|responses?|deliverables?|peer reviews?|contracts?|übung(?:en)?|[a-zäöüß]*blatt|[a-zäöüß]*aufgaben?"
      r"|exercices?|ejercicios?|psets?|ps(?=\s?#?\d)|coursework|questionnaires?|surveys?|checkpoints?|notebooks?|sketchbooks?|workbooks?|logs?|logbooks?|précis|memos?|memorand(?:um|a)|(?:care|lesson|unit|business|marketing|teaching) plans?|case briefs?|storyboards?"
      r"|prototypes?|self-assessments?|peer evaluations?|blogs?|podcasts?")),
)  # fmt: skip
"""By precedence: a project report is a project, a lab report a lab, the draft of an assignment an assignment."""

_KINDS: Final = [(kind, re.compile(rf"\b(?:{words})(?=\b|\d)", re.IGNORECASE)) for kind, words in _WORDS]

_ENDS: Final = r"(?=\b|(?<=[a-z])\d)"
NOUN: Final = re.compile(rf"\b(?:{'|'.join(words for _, words in _WORDS)}){_ENDS}", re.IGNORECASE)
"""A noun for something to hand in or an exam to take."""

SAT: Final = re.compile(rf"\b(?:{'|'.join(words for _, words in _WORDS[:2])}){_ENDS}", re.IGNORECASE)
"""Kinds that take place at a fixed time. An adjacent date is sufficient evidence."""

STRONG: Final = re.compile(
    rf"\b(?:{'|'.join(words for kind, words in _WORDS[:6] if kind != 'lab')}|lab reports?){_ENDS}", re.IGNORECASE
)
"""Unambiguous words."""

OTHER: Final = "other"


def kind_of(title: str, otherwise: str = OTHER) -> str:
    """The kind (a value of `ItemKind`) named in the title, or `otherwise`."""
    return next((kind for kind, words in _KINDS if words.search(title)), otherwise)
