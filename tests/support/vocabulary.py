"""Decks and reviews for tests, created through the API."""

from typing import Any

from django.test.client import MULTIPART_CONTENT

from tests.support.entry_points import RestEntryPoint
from tests.support.uploads import multipart


def made_deck(entry_point: RestEntryPoint, *terms: str, name: str = "Organelles", **fields: Any) -> Any:
    """A deck with one card for each term."""
    cards = [{"term": term, "definition": f"What {term} is."} for term in terms or ("Nucleus",)]
    return entry_point.made("create_vocab_deck", name=name, cards=cards, **fields)


def reviewed(entry_point: RestEntryPoint, card: Any, rating: str, **fields: Any) -> Any:
    """The card after a review."""
    return entry_point.made("review_vocab_card", card_id=card["id"], rating=rating, **fields)


def deck_with_cards(entry_point: RestEntryPoint, deck: Any, **options: Any) -> Any:
    """The current deck with its cards."""
    [found] = entry_point.made("list_vocab_decks", deck_id=deck["id"], include_cards=True, **options)["data"]
    return found


def sent_deck(entry_point: RestEntryPoint, file: bytes, filename: str = "Organelles.csv", **query: str) -> Any:
    """The response to importing a file of cards."""
    form = multipart(file, filename=filename)
    return entry_point.request("POST", "/v1/vocab-decks/import", query=query, data=form, content_type=MULTIPART_CONTENT)
