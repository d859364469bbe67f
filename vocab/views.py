"""Operations on decks and cards."""

from http import HTTPStatus
from uuid import UUID

from studyservice.operations.answers import DownloadRow
from studyservice.operations.declaration import Scope, operation
from studyservice.operations.serializers import DeletedRow, Page, page
from studyservice.operations.uploads import Upload
from studyservice.viewsets import MemberViewSet
from vocab import card_changes, deck_creation, deck_files, decks, reviews
from vocab.deck_serializers import CreatedDeckRow, DecksQuery, ExportQuery, ImportQuery, ImportRow
from vocab.serializers import (
    CardChangesBody,
    CardRow,
    CardsBody,
    DeckBody,
    DeckDetailsBody,
    DeckRow,
    ReviewBody,
)


class DeckViewSet(MemberViewSet):
    """A member's decks."""

    tag = "Vocabulary"

    @operation("List vocabulary decks", scope=Scope.READ, answer=DeckRow, many=True, query=DecksQuery)
    def list_vocab_decks(self) -> Page[DeckRow]:
        """All flashcard decks, oldest first, with how many cards to ask today. With deck_id and include_cards that deck
        and its cards; to quiz, send due_only and limit 10. With for_item and minutes_a_day today's cards of the plan
        for an exam. With on, what will be recalled that day.

        List decks with the number of cards due now. Ask for one deck with its cards to browse it, or only for
        due cards to start a quiz.

        With a date, the answer estimates how many cards the member would remember on that day.
        """
        return page(decks.list_vocab_decks(self.access, **self.query))

    @operation(
        "Create a vocabulary deck",
        scope=Scope.WRITE,
        answer=CreatedDeckRow,
        status=HTTPStatus.CREATED,
        other_status=HTTPStatus.OK,
        body=DeckBody,
        long_body=True,
        counted=True,
        still_seen=decks.deck_still_seen,
    )
    def create_vocab_deck(self) -> CreatedDeckRow:
        """Create a flashcard deck with 1 to 500 cards, each a term and its definition, all due at once. Propose first.
        For a long deck send include_cards false, for a short answer; if_exists merge adds to a deck that is there. A
        member can have 100 decks; one more answers conflict.

        Create a deck from a list of terms and definitions. New cards are due at once. To grow an existing deck
        of the same name instead, choose merge.
        """
        deck, is_new = deck_creation.create_vocab_deck(self.access, **self.body)
        if not is_new:
            self.status = HTTPStatus.OK
        return deck

    @operation(
        "Change a vocabulary deck",
        scope=Scope.WRITE,
        answer=DeckRow,
        body=DeckDetailsBody,
        partial=True,
        exists=decks.require_deck,
        tool=False,
    )
    def update_vocab_deck(self, deck_id: UUID) -> DeckRow:
        """Change a deck's name or course; a course_id of null takes it out of its course. Answers without the cards.

        Rename a deck, move it to another course or take it out of its course. The cards and their schedule
        stay.
        """
        return decks.update_vocab_deck(self.access, deck_id, **self.body)

    @operation(
        "Add cards to a vocabulary deck",
        scope=Scope.WRITE,
        answer=DeckRow,
        status=HTTPStatus.CREATED,
        body=CardsBody,
        long_body=True,
        exists=decks.require_deck,
        counted=True,
        tool=False,
    )
    def add_vocab_cards(self, deck_id: UUID) -> DeckRow:
        """Add 1 to 500 flashcards to a deck, all due at once. A deck can have 500 cards; more answer conflict. Answers
        the deck with the added cards alone, in the order sent.

        Add cards to the end of a deck. The answer contains only the new cards, so their ids are easy to find.
        """
        return card_changes.add_vocab_cards(self.access, deck_id, **self.body)

    @operation(
        "Import vocabulary decks",
        scope=Scope.WRITE,
        answer=ImportRow,
        status=HTTPStatus.CREATED,
        other_status=HTTPStatus.OK,
        query=ImportQuery,
        upload=Upload(deck_files.MAX_FILE, fields=tuple(ImportQuery.shared().fields)),
        counted=True,
        tool=False,
        still_seen=decks.decks_still_seen,
    )
    def import_vocab_decks(self) -> ImportRow:
        """Make decks of a file: CSV, TSV, Anki's notes in plain text, or a package of Anki's, whose cards keep the
        schedule that FSRS gave them. Pictures and sounds are left out. Decks over 500 cards are split; over 100 decks
        answer conflict and write nothing.

        Import a spreadsheet or an Anki export. Cards from an Anki package keep the due dates of Anki's FSRS
        scheduler. Either the whole file is imported or nothing.
        """
        sent = self.upload
        answer, is_new = deck_files.import_vocab_decks(self.access, sent.file, sent.filename, **self.query)
        if not is_new:
            self.status = HTTPStatus.OK
        return answer

    @operation(
        "Export a vocabulary deck",
        scope=Scope.READ,
        answer=DownloadRow,
        downloads=tuple(kind.media_type for kind in deck_files.FORMATS.values()),
        query=ExportQuery,
        tool=False,
    )
    def export_vocab_deck(self, deck_id: UUID) -> DownloadRow:
        """A deck's terms and definitions as a file in the order in which they were added: CSV for spreadsheets, TSV, or
        notes that Anki imports. import_vocab_decks reads each as the same cards.

        Save a deck for a spreadsheet or for Anki. The file holds terms and definitions, without the schedule.
        """
        return deck_files.export_vocab_deck(self.access, deck_id, **self.query)

    @operation("Delete a vocabulary deck", scope=Scope.WRITE, answer=DeletedRow, consequential=True)
    def delete_vocab_deck(self, deck_id: UUID) -> DeletedRow:
        """Delete a flashcard deck with its cards and their review log; practice statistics keep what was practised.
        Gone at once; for 30 days the member can undo it on this site's page /activity. Confirm with the member first.

        The deck's cards and review history are deleted too; the practice statistics stay. The member can
        restore the deck in Activity for 30 days.
        """
        return decks.delete_vocab_deck(self.access, deck_id)


class CardViewSet(MemberViewSet):
    """The cards of a deck."""

    tag = "Vocabulary"

    @operation(
        "Change a card",
        scope=Scope.WRITE,
        answer=CardRow,
        body=CardChangesBody,
        partial=True,
        exists=card_changes.require_card,
        tool=False,
    )
    def update_vocab_card(self, card_id: UUID) -> CardRow:
        """Change a flashcard's term or definition, or suspend it: a suspended card is not asked until that is lifted.
        Its schedule stays as it is.

        Fix a typo or improve a definition. The card keeps its schedule.
        """
        return card_changes.update_vocab_card(self.access, card_id, **self.body)

    @operation("Delete a card", scope=Scope.WRITE, answer=DeletedRow, consequential=True, tool=False)
    def delete_vocab_card(self, card_id: UUID) -> DeletedRow:
        """Delete a flashcard with its review log; practice statistics keep what was practised. Gone at once; for 30
        days the member can undo it on this site's page /activity.

        Remove one card and its review history. The member can restore it in Activity for 30 days.
        """
        return card_changes.delete_vocab_card(self.access, card_id)

    @operation(
        "Review a card",
        scope=Scope.WRITE,
        answer=CardRow,
        status=HTTPStatus.CREATED,
        body=ReviewBody,
        exists=card_changes.require_card,
    )
    def review_vocab_card(self, card_id: UUID) -> CardRow:
        """Record how well the member knew a flashcard. Show one term at a time, wait for the answer, show the
        definition, and agree on the rating. Answers the card with the time it comes up next. Counts as an attempt in
        practice, correct unless again.

        Record one answer. The scheduler (FSRS) then picks the next due date, from minutes after “again” to
        weeks or months after “easy”. The answer shows it.
        """
        return reviews.review_vocab_card(self.access, card_id, **self.body)
