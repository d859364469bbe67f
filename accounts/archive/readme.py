"""The README of an archive."""

from django.conf import settings
from django.urls import reverse

_TEXT = """\
Your study data

This archive has what is stored for you, as it was at one moment. manifest.json says when that was, and counts
the lines.

data/        a file for each kind of thing, one JSON object on each line. An account without courses and decks takes
             these files in again, on its page /account or by POST /v1/import. Change nothing if you want that.
files/       the syllabus files that you uploaded, under the names that data/syllabus_files.jsonl gives.
grades.csv   your scores, for a spreadsheet. A text that it would calculate has an apostrophe before it.
cards.csv    your flashcards, likewise.
calendar.ics what is due, for a calendar.

There is no password, key or other credential in it, but everything else is readable: keep it where nobody else finds
it.
What the fields mean: {guide}
"""


def readme_text() -> str:
    """Return the text, with a link to this server's archive guide."""
    return _TEXT.format(guide=f"{settings.BASE_URL}{reverse('guide', args=['archive'])}")
