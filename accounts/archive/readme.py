"""The README of an archive."""

from django.conf import settings
from django.urls import reverse

_TEXT = """\
Your study data

This archive contains everything stored for you at one moment. manifest.json has the time and the numbers
of lines.

data/        one file for each kind of data, with one JSON object per line. You can import these files into an account
             without courses and decks, on its page /account or by POST /v1/import. To do that, leave them unchanged.
files/       the syllabus files that you uploaded, under the names in data/syllabus_files.jsonl.
grades.csv   your scores, for a spreadsheet. An apostrophe precedes text that would be executed as a formula.
cards.csv    your flashcards, likewise.
calendar.ics your due dates, for a calendar.

It contains no password, key or other credential, but everything else is readable: keep it in a safe place.
The fields are explained at {guide}
"""


def readme_text() -> str:
    """Return the text, with a link to this server's archive guide."""
    return _TEXT.format(guide=f"{settings.BASE_URL}{reverse('guide', args=['archive'])}")
