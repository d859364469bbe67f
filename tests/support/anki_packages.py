"""Files written by Anki's own library: packages in both current formats, and notes in plain text."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from anki.collection import AddNoteRequest, Collection, ExportAnkiPackageOptions, ImportCsvRequest
from anki.scheduler.v3 import CardAnswer, Scheduler


class Anki:
    """A collection with FSRS enabled. Close it after use.

    Args:
        directory: an empty directory for its database.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self.collection = Collection(str(directory / "collection.anki2"))
        self.collection.set_config("fsrs", True)

    def add(self, deck: str, notes: Iterable[tuple[str, ...]], kind: str = "Basic") -> None:
        """Add notes with these fields to a deck. `::` separates the levels of the deck name."""
        deck_id = self.collection.decks.id(deck)
        model = self.collection.models.by_name(kind)
        assert deck_id is not None
        assert model is not None
        requests = []
        for fields in notes:
            note = self.collection.new_note(model)
            note.fields = [*fields, *[""] * (len(note.fields) - len(fields))]
            requests.append(AddNoteRequest(note, deck_id))
        self.collection.add_notes(requests)

    def answer(self, deck: str, *ratings: str) -> None:
        """Answer the next cards of a deck, in order."""
        deck_id = self.collection.decks.id(deck)
        assert deck_id is not None
        self.collection.decks.select(deck_id)
        scheduler = self.collection.sched
        assert isinstance(scheduler, Scheduler)
        values = {"again": CardAnswer.AGAIN, "good": CardAnswer.GOOD, "easy": CardAnswer.EASY}
        for rating in ratings:
            [queued, *_] = scheduler.get_queued_cards().cards
            card = self.collection.get_card(queued.card.id)
            card.start_timer()
            answer = scheduler.build_answer(card=card, states=queued.states, rating=values[rating])
            scheduler.answer_card(answer)

    def put_off(self, term: str, days: int) -> None:
        """Make the card with this term due in `days` days."""
        self.collection.sched.set_due_date(self.collection.find_cards(f"front:{term}"), str(days))

    def suspend(self, *terms: str) -> None:
        """Suspend the cards with these terms."""
        self.collection.sched.suspend_cards(
            [id_ for term in terms for id_ in self.collection.find_cards(f"front:{term}")]
        )

    def bury(self, term: str) -> None:
        """Bury the card with this term until tomorrow."""
        self.collection.sched.bury_cards(self.collection.find_cards(f"front:{term}"))

    def cards(self) -> list[Any]:
        """The cards in the order their notes were created."""
        return [self.collection.get_card(id_) for id_ in sorted(self.collection.find_cards(""))]

    def package(self, *, legacy: bool = False) -> bytes:
        """The collection as an `.apkg` file, with its scheduling."""
        path = self._directory / f"out-{legacy}.apkg"
        options = ExportAnkiPackageOptions(with_scheduling=True, with_media=True, legacy=legacy)
        self.collection.export_anki_package(out_path=str(path), options=options, limit=None)
        return path.read_bytes()

    def notes(self, *, html: bool, columns: bool) -> bytes:
        """The collection as notes in plain text.

        Args:
            columns: write every possible column, not only the deck column.
        """
        path = self._directory / "notes.txt"
        others = dict.fromkeys(("with_tags", "with_notetype", "with_guid"), columns)
        self.collection.export_note_csv(out_path=str(path), limit=None, with_html=html, with_deck=True, **others)
        return path.read_bytes()

    def read_notes(self, content: bytes) -> None:
        """Import notes in plain text with Anki itself, according to the file's header."""
        path = self._directory / "read.txt"
        path.write_bytes(content)
        metadata = self.collection.get_csv_metadata(str(path), None)
        self.collection.import_csv(ImportCsvRequest(path=str(path), metadata=metadata))

    def add_media(self, name: str, content: bytes) -> None:
        """Store a picture or sound in the collection."""
        self.collection.media.write_data(name, content)

    def close(self) -> None:
        """Close its database."""
        self.collection.close()
