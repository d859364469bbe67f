"""The label of each event, which identifies its course. Without models, for the child process.

Canvas appends the course to titles in brackets, Moodle uses a category, and others a location.
"""

from collections.abc import Iterable, Mapping
from typing import Any

MAX_LABEL = 160


def split_title(title: str) -> tuple[str, str]:
    """The title without the brackets at its end, and their content; empty without brackets.

    Nested brackets belong to the outer ones: `Quiz [Biology [Fall]]`.
    """
    if not title.endswith("]"):
        return title, ""
    depth = 0
    for place in range(len(title) - 1, -1, -1):
        depth += {"]": 1, "[": -1}.get(title[place], 0)
        if depth == 0:
            bare, label = title[:place].strip(), title[place + 1 : -1].strip()
            return (bare or title, label) if label else (title, "")
    return title, ""


def set_labels(events: Iterable[dict[str, Any]]) -> None:
    """Set the `label` of each event, from its `brackets`, `category` or `place`.

    Categories and places count only if every event has one.
    """
    events = list(events)
    named = next((name for name in ("category", "place") if all(event[name] for event in events)), None)
    for event in events:
        noted: Mapping[str, str] = {name: event.pop(name) for name in ("brackets", "category", "place")}
        event["label"] = (noted["brackets"] or (noted[named] if named else ""))[:MAX_LABEL].strip()
