"""Parts of titles, notes and cards as students have them."""

_KINDS = (
    ("assignment", "Problem set"),
    ("assignment", "Reading response"),
    ("quiz", "Quiz"),
    ("lab", "Lab report"),
    ("exam", "Midterm exam"),
    ("paper", "Draft"),
    ("project", "Group project, stage"),
    ("other", "Discussion section"),
)
_TOPICS = (
    "enzyme kinetics", "the French Revolution", "linear transformations", "supply and demand", "cell respiration",
    "Kant's ethics", "thermodynamics", "sorting and searching", "the present subjunctive", "regression",
    "organic synthesis", "constitutional law", "attention and memory", "wave optics", "plate tectonics",
    "modern poetry",
)  # fmt: skip
_NOTES = (
    "Submit one PDF on the course site; late work loses ten percent a day.",
    "Chapters 4 to 6, and the article by Okafor from the reader.",
    "Closed book. A handwritten sheet of A4, both sides, is allowed.",
    "Ask Maria for her notes of the second lecture.",
    "Office hours are on Tuesday, 14:00 to 16:00, in room 3.12.",
    "Only the two best of three count.",
    "Bring a calculator and the student card.",
    "At least five sources, three of them from the last ten years, cited in APA style.",
    "We meet in the library on Sunday to put the parts together.",
    "The rubric is on the last page of the syllabus.",
)
_TERMS = (
    "Golgi apparatus", "habeas corpus", "standard deviation", "mitochondrion", "opportunity cost", "enthalpy",
    "die Geschwindigkeit", "eigenvector", "cognitive dissonance", "subduction zone", "iambic pentameter",
    "l'apprentissage", "amortized cost", "nucleophile", "separation of powers", "diffraction",
)  # fmt: skip
_MEANINGS = (
    "Modifies, sorts and packs proteins into vesicles.",
    "The value of the best alternative that is given up by a choice.",
    "A vector whose direction a linear transformation does not change.",
    "The average over a sequence of operations, also when a single one of them takes long.",
    "Discomfort of holding beliefs that contradict each other, or of acting against them.",
    "Where one plate of the lithosphere sinks beneath another one, with earthquakes and volcanoes above it.",
    "A line of five feet, each an unstressed and a stressed syllable.",
)


def arrays() -> dict[str, list[str]]:
    """Return them by the names that the statements of `seed` have for them."""
    kinds, names = map(list, zip(*_KINDS, strict=True))
    return {
        "kinds": kinds,
        "names": names,
        "topics": list(_TOPICS),
        "notes": list(_NOTES),
        "terms": list(_TERMS),
        "meanings": list(_MEANINGS),
    }
