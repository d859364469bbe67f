"""Decks from files and as files: a table of terms and definitions, or Anki's notes.

Import also reads Anki packages. A child process reads the file before the transaction begins. Either everything is
written or nothing.

import_vocab_decks reads an exported file as the same cards. CSV is for spreadsheets. A shared deck may be from anybody,
so a text that a spreadsheet would treat as a formula gets an apostrophe before it. Import removes exactly one
(`vocab.reading.tables`). TSV and Anki's notes in plain text contain every text unchanged.
"""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import IO, Any, NamedTuple, cast
from uuid import UUID

from django.utils import timezone

from courses.syllabi.reading.files import clean_filename
from studyservice.operations.answers import DownloadRow
from studyservice.operations.errors import Conflict, InvalidRequest, ValidationFailed
from studyservice.operations.spreadsheets import csv_lines
from studyservice.rates.limiter import Rate, require_rate
from studyservice.reading.process import read_in_child
from studyservice.rows.access import Access, change
from vocab.card_changes import cards_of
from vocab.deck_creation import last_of_each, make_deck, merge_cards, oldest_named, require_room
from vocab.deck_serializers import ImportRow
from vocab.decks import list_vocab_decks, require_course, require_deck
from vocab.exam_plan.memory import LEAST_STABILITY, MOST_STABILITY
from vocab.models import Deck
from vocab.reading.found import MAXIMA, FoundCard, FoundDeck
from vocab.scheduling import MAX_INTERVAL
from vocab.serializers import MAX_CARDS, MAX_DECK_NAME, CardEntryFields, NewCard


class Format(NamedTuple):
    """A file format for an export.

    Attributes:
        label: its name on pages.
        ending: of the file's name.
    """

    label: str
    ending: str
    media_type: str


FORMATS = {
    "csv": Format("CSV", "csv", "text/csv; charset=utf-8"),
    "tsv": Format("TSV", "tsv", "text/tab-separated-values; charset=utf-8"),
    "anki": Format("Anki notes", "txt", "text/plain; charset=utf-8"),
}
_HEADER = ("term", "definition")
_ANKI_HEADER = "#separator:tab\n#html:false\n#notetype:Basic\n#columns:Front\tBack\tDeck\n#deck column:3\n"
"""Escape for Anki, which unescapes it exactly. The note type prevents braces from becoming gaps."""

MAX_FILE = 10 * 1024 * 1024
"""Maximum size of a file."""

_READER = "vocab.reading.reader.read"
_FIELD = "file"
_TOO_LARGE = "The file has too much in it to be read. Export fewer decks at a time."


def import_vocab_decks(
    access: Access,
    file: IO[bytes],
    filename: str,
    *,
    name: str | None = None,
    course_id: UUID | None = None,
    if_exists: str = "create",
    header: str = "auto",
) -> tuple[ImportRow, bool]:
    """Create decks from a file, or merge it into decks with the same names. Return whether any deck was created.

    A deck has at most `MAX_CARDS` cards. Further cards are put into `Name (2)` and so on. Must not be called inside a
    transaction.

    Args:
        file: open, with a file descriptor.
        filename: the name of a table's deck if `name` is not given.
        name: of the deck; ignored for a package with several decks.
        course_id: of new and merged decks; None keeps the course of merged ones.
        header: whether the first row of a table is a heading: `yes`, `no`, or `auto`, which decides by its words.

    Raises:
        InvalidRequest: the file cannot be read.
        ValidationFailed: rows are invalid, it has no cards, or `course_id` is not a course of the member.
        Conflict: there would be too many decks, or a deck would have too many cards.
        RateLimited: too many were read, or others are being read.
    """
    output = _found(access, file, header)
    found: list[FoundDeck] = output["decks"]
    if len(found) == 1 and name is not None:
        found[0]["name"] = name
    parts = list(_parts(found, PurePosixPath(clean_filename(filename)).stem))
    with change(access, "import_vocab_decks"):
        require_course(access, course_id)
        known = oldest_named(access, [part for part, _ in parts]) if if_exists == "merge" else {}
        require_room(access, sum(part not in known for part, _ in parts))
        ids: list[UUID] = []
        for part, cards in parts:
            there = known.get(part)
            if there is not None:
                merge_cards(access, there, cast("list[CardEntryFields]", cards))
                if course_id is not None:
                    Deck.rows.of(access).update(there, {"course_id": course_id})
                ids.append(there["id"])
            else:
                made = last_of_each(cards) if if_exists == "merge" else cards
                deck_id, _ = make_deck(access, part, course_id, made)
                ids.append(deck_id)
        decks = {deck["id"]: deck for deck in list_vocab_decks(access, include_cards=False)}
    answer: ImportRow = {
        "decks": [decks[deck_id] for deck_id in dict.fromkeys(ids)],
        "cards": sum(len(cards) for _, cards in parts),
        "skipped": output["skipped"],
        "media_left_out": output["media"],
        "unreadable_characters": output["unreadable"],
    }
    return answer, any(part not in known for part, _ in parts)


def _found(access: Access, file: IO[bytes], header: str) -> Mapping[str, Any]:
    """The output of the reader (`vocab.reading.reader`), with at least one card.

    Raises:
        InvalidRequest: it is unreadable, or too large to read within the limits.
        ValidationFailed: rows are invalid, or there are no cards.
        Conflict: there are more cards than a member can have.
        RateLimited: too many were read, or others are being read.
    """
    charged = Rate.DECK_IMPORTS, str(access.member.id)
    require_rate(*charged)
    outcome = read_in_child(_READER, file, {"header": header}, charged=charged)
    match outcome.found.get("refused"):
        case "rows":
            rows = outcome.found["rows"]
            raise ValidationFailed([{"field": _FIELD, "message": row} for row in rows])
        case "too_many":
            raise Conflict("The file has more cards than there can be. Send a part of it.")
        case None if outcome.complete:
            pass
        case "too_large":
            raise InvalidRequest(_TOO_LARGE)
        case None if outcome.hit_limit:
            raise InvalidRequest(_TOO_LARGE)
        case _:
            raise InvalidRequest(
                "The file cannot be read. Send a CSV or TSV file in UTF-8, or what Anki exports: a package (.apkg) or "
                "notes in plain text (.txt)."
            )
    if not outcome.found["decks"]:
        raise ValidationFailed.of(_FIELD, _no_cards(outcome.found.get("too_long", {})))
    return outcome.found


def _no_cards(too_long: Mapping[str, int]) -> str:
    """The message for a file without cards.

    Args:
        too_long: the length of the longest text that is too long, by `term` and `definition`.
    """
    if not too_long:
        return "Has no cards: a term and a definition in each row, or in each note."
    lengths = " and ".join(
        f"the longest {side} has {length} characters (at most {MAXIMA[side]})" for side, length in too_long.items()
    )
    return f"The notes are too long for cards: {lengths}. Shorten them in Anki, then export them again."


def _parts(found: list[FoundDeck], default: str) -> Iterator[tuple[str, list[NewCard]]]:
    """Decks of at most `MAX_CARDS` cards with their names."""
    for deck in found:
        name = (deck["name"] or default).strip()
        for start in range(0, len(deck["cards"]), MAX_CARDS):
            number = start // MAX_CARDS + 1
            ending = "" if number == 1 else f" ({number})"
            cards = [_card(card) for card in deck["cards"][start : start + MAX_CARDS]]
            yield name[: MAX_DECK_NAME - len(ending)].strip() + ending, cards


def _card(found: FoundCard) -> NewCard:
    """The card, with impossible numbers replaced by the nearest possible ones."""
    card: NewCard = {"term": found["term"], "definition": found["definition"]}
    schedule = found.get("schedule")
    if schedule is not None:
        last_reviewed_at = min(datetime.fromtimestamp(schedule["last_reviewed"], UTC), timezone.now())
        due_at = datetime.fromtimestamp(schedule["due"], UTC)
        card |= {
            "state": schedule["state"],
            "step": None if schedule["state"] == "review" else 0,
            "stability": min(max(schedule["stability"], LEAST_STABILITY), MOST_STABILITY),
            "difficulty": schedule["difficulty"],
            "due_at": min(due_at, last_reviewed_at + MAX_INTERVAL),
            "last_reviewed_at": last_reviewed_at,
            "reps": schedule["reps"],
            "lapses": schedule["lapses"],
        }
    if found.get("suspended"):
        card["suspended"] = True
    if "note" in found:
        card["note"] = UUID(found["note"])
    return card


def export_vocab_deck(access: Access, deck_id: UUID, *, format: str = "csv") -> DownloadRow:  # noqa: A002  # the parameter's name
    """The deck's cards in the order they were added.

    Raises:
        NotFound: the member has no such deck.
    """
    name = require_deck(access, deck_id)["name"]
    cards = [(card["term"], card["definition"]) for card in cards_of(access, deck_id)]
    kind = FORMATS[format]
    return {
        "content": _content(format, name, cards),
        "filename": f"{name}.{kind.ending}",
        "media_type": kind.media_type,
    }


def _content(format_: str, deck: str, cards: Sequence[tuple[str, str]]) -> bytes:
    """CSV and TSV follow RFC 4180 with a header, in UTF-8 with the byte order mark that spreadsheets need."""
    if format_ == "csv":
        return b"".join(csv_lines(_HEADER, cards))
    table = io.StringIO(newline="")
    if format_ == "tsv":
        csv.writer(table, delimiter="\t").writerows([_HEADER, *cards])
        return table.getvalue().encode("utf-8-sig")
    # Every field is quoted, because Anki reads an unquoted row beginning with "#" as a comment.
    table.write(_ANKI_HEADER)
    writer = csv.writer(table, delimiter="\t", quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerows((term, definition, deck) for term, definition in cards)
    return table.getvalue().encode()
