"""The mark of what is done, before the title of an event; for the reader too, whose process has no models."""

MARK = "✓ "


def marked(title: str) -> str:
    """The title of what is done or graded."""
    return MARK + title


def without_mark(title: str) -> str:
    """The title without our mark, as of a calendar that was exported here and is imported again."""
    return title.removeprefix(MARK)
