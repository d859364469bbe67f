"""The label of each event, which identifies its course. Without models, for the child process.

Canvas appends the course to titles in brackets, Moodle uses a category, and others a location.
"""

from collections import Counter
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

    Categories count if no more events are without one than with one. Places count if more than half of the events have
    one, because a few may be rooms. The label of the others is empty.
    """
    events = list(events)
    has = Counter(name for event in events for name in ("category", "place") if event[name])
    named = "category" if has["category"] * 2 >= len(events) else "place" if has["place"] * 2 > len(events) else None
    for event in events:
        noted: Mapping[str, str] = {name: event.pop(name) for name in ("brackets", "category", "place")}
        event["label"] = (noted["brackets"] or (noted[named] if named else ""))[:MAX_LABEL].strip()
