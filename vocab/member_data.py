"""The members' rows of this app."""

from studyservice.registry.archived import Archived, Tally
from studyservice.registry.data import Computed, Logged, MemberData, register
from vocab.archive import CardRules, ReviewRules, write_cards
from vocab.card_changes import CARDS_OF_DECK
from vocab.changes import settle_copies
from vocab.deck_creation import DECKS
from vocab.foretold import fill_attempts
from vocab.models import Card, Deck, Review
from vocab.reading.found import MAX_REVIEWS
from vocab.scheduling import is_lapse
from vocab.serializers import DeckDetailsBody

register(
    MemberData(
        Deck,
        course="course",
        archived=Archived(
            name="decks",
            rules=DeckDetailsBody,
            order=("created_at", "id"),
            left_out={"card_count": "counted when it is taken in"},
            must_be_empty=True,
        ),
        maxima=(DECKS,),
    )
)
register(
    MemberData(
        Card,
        course="deck__course",
        archived=Archived(
            name="cards", rules=CardRules, order=("deck_id", "position", "id"), also={"cards.csv": write_cards}
        ),
        maxima=(CARDS_OF_DECK,),
    )
)
register(
    MemberData(
        Review,
        course="card__deck__course",
        archived=Archived(
            name="reviews",
            rules=ReviewRules,
            order=("reviewed_at", "id"),
            tallies=(
                Tally(column="reps", per="card_id", counts=lambda line: True, uncounted=MAX_REVIEWS),
                Tally(
                    column="lapses",
                    per="card_id",
                    counts=lambda line: is_lapse(line["rating"], line["state"]),
                    uncounted=MAX_REVIEWS,
                ),
            ),
            keeps_time=True,
        ),
        no_maximum="a row for each answer",
        no_admin="on the page of the card",
        log=Logged(not_listed="a change itself", settle=settle_copies),
        computed=Computed(recompute=fill_attempts),
    )
)
