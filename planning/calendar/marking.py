"""The check mark before titles of done items. Without models, because the reader's process has none."""

MARK = "✓ "


def marked(title: str) -> str:
    """The title of a done or graded item."""
    return MARK + title


def without_mark(title: str) -> str:
    """The title without this service's check mark, for an exported calendar that is imported again."""
    return title.removeprefix(MARK)
