"""Errors: 404, and 409 for an outdated answer."""

from studyservice.operations.errors import Conflict, NotFound


class NoSuchDeck(NotFound):
    """The member has no such deck."""

    default_message = "There is no such deck. list_vocab_decks gives the ids."


class NoSuchCard(NotFound):
    """The member has no such card."""

    default_message = "There is no such card. list_vocab_decks with deck_id and include_cards gives the ids."


class AnsweredSince(Conflict):
    """The card was answered since it was shown."""

    default_message = "This card was answered since it was shown."
