"""The limits of decks and cards."""

from accounts.members.limits import Limit
from vocab.serializers import MAX_CARDS

DECKS = Limit(most=100, what="decks", full="There are {most} decks, the most there can be. Delete one first.")

CARDS_OF_DECK = Limit(
    most=MAX_CARDS,
    what="cards of a deck",
    full="A deck has at most {most} cards. Delete some of it first.",
    per="deck",
    counter="card_count",
)
