"""The demo member's flashcards, with some weeks of reviews."""

from datetime import datetime, time, timedelta
from itertools import cycle, islice
from typing import NamedTuple
from uuid import UUID
from zoneinfo import ZoneInfo

from accounts.models import Member
from studyservice.rows.access import Access, change
from vocab.deck_creation import create_vocab_deck
from vocab.models import Card, Deck
from vocab.reviews import record_review
from vocab.serializers import CardEntryFields


class DemoDeck(NamedTuple):
    """A deck and its reviews.

    Attributes:
        course: name of its course.
        cards: term to definition.
        evenings: how many days ago each session was, longest ago first.
        new: new cards in each session.
        most: reviews in one session.
        answers: initials of the ratings, repeated.
    """

    name: str
    course: str
    cards: dict[str, str]
    evenings: tuple[int, ...]
    new: int
    most: int
    answers: str


_PACE = timedelta(seconds=75)
_THOUGHT_MS = 6500
_RATINGS = {"a": "again", "h": "hard", "g": "good", "e": "easy"}

_DECKS = (
    DemoDeck(
        "Organelles",
        "Cell Biology",
        {
            "Nucleus": "Holds the DNA and makes RNA from it, inside a double membrane.",
            "Nucleolus": "Part of the nucleus where ribosomes are assembled.",
            "Mitochondrion": "Turns nutrients into ATP by cellular respiration.",
            "Chloroplast": "Turns light into chemical energy; found in plants and algae.",
            "Ribosome": "Builds proteins from amino acids by reading messenger RNA.",
            "Rough endoplasmic reticulum": "Folds and ships proteins made by the ribosomes on it.",
            "Smooth endoplasmic reticulum": "Makes lipids, detoxifies, stores calcium.",
            "Golgi apparatus": "Modifies, sorts and packs proteins into vesicles.",
            "Lysosome": "Digests worn-out parts and swallowed matter with acid enzymes.",
            "Peroxisome": "Breaks down long fatty acids and hydrogen peroxide.",
            "Vacuole": "Stores water and solutes; keeps a plant cell firm.",
            "Centrosome": "Organizes microtubules and the spindle in cell division.",
            "Cytoskeleton": "Filaments that give shape and move things about.",
            "Plasma membrane": "Lipid double layer that decides what enters and leaves.",
            "Cilium": "Hair-like extension that moves the cell or the fluid around it.",
            "Desmosome": "Spot where neighboring cells are riveted together.",
        },
        (25, 24, 23, 22, 21, 20, 19, 16, 15, 13, 12, 10, 9, 6, 5, 4, 3, 2, 1),
        1,
        12,
        "gggegghgggaggggeggghgggg",
    ),
    DemoDeck(
        "Silver, sugar, empire: dates",
        "World History since 1500",
        {
            "1494": "Treaty of Tordesillas divides the Atlantic world between Castile and Portugal.",
            "1521": "Tenochtitlan falls to Cortés and his Nahua allies.",
            "1545": "Silver is found at Potosí.",
            "1571": "Manila is founded; the galleons to Acapulco begin.",
            "1600": "The English East India Company is chartered.",
            "1602": "The Dutch East India Company is chartered.",
            "1644": "The Ming fall; the Qing take Beijing.",
            "1685": "The Code Noir regulates slavery in the French colonies.",
            "1757": "Battle of Plassey opens Bengal to Company rule.",
            "1791": "The revolution in Saint-Domingue begins.",
            "1804": "Haiti declares independence.",
            "1807": "Britain abolishes its slave trade.",
            "1839": "The First Opium War begins.",
            "1868": "The Meiji Restoration.",
        },
        (17, 16, 13, 12, 9, 8, 5, 4, 3, 2),
        2,
        10,
        "gagghagagg",
    ),
    DemoDeck(
        "Eigenvalues",
        "Linear Algebra",
        {
            "When is $\\lambda$ an eigenvalue of $A$?": "If $Av = \\lambda v$ for some $v \\neq 0$.",
            "The characteristic polynomial of $A$": "$$p(\\lambda) = \\det(A - \\lambda I)$$",
            "The determinant by eigenvalues": "$$\\det A = \\prod_{i=1}^{n} \\lambda_i$$",
            "The trace by eigenvalues": "$$\\operatorname{tr} A = \\sum_{i=1}^{n} \\lambda_i$$",
            "The eigenvalues of $\\begin{pmatrix} 2 & 1 \\\\ 1 & 2 \\end{pmatrix}$": "$1$ and $3$",
        },
        (2,),
        2,
        2,
        "gg",
    ),
)


def create_demo_decks(member: Member, course_ids: dict[str, UUID]) -> None:
    """Create the decks, studied on past evenings up to yesterday.

    Args:
        course_ids: name of a course to its id.
    """
    for deck in _DECKS:
        cards: list[CardEntryFields] = [
            {"term": term, "definition": definition} for term, definition in deck.cards.items()
        ]
        made, _ = create_vocab_deck(Access(member), name=deck.name, course_id=course_ids[deck.course], cards=cards)
        first = _evening(member, deck.evenings[0])
        Deck.objects.filter(id=made["id"]).update(created_at=first, updated_at=first)
        Card.objects.filter(deck_id=made["id"]).update(due_at=first)
        _study(member, deck, [card["id"] for card in made["cards"]])


def _study(member: Member, deck: DemoDeck, card_ids: list[UUID]) -> None:
    """Review a few new cards and the due ones, evening by evening."""
    answers = cycle(deck.answers)
    unseen = iter(card_ids)
    due: dict[UUID, datetime] = {}
    access = Access(member)
    with change(access, "review_vocab_card"):
        for days_ago in deck.evenings:
            start = _evening(member, days_ago)
            due |= dict.fromkeys(islice(unseen, deck.new), start)
            for at in (start + n * _PACE for n in range(deck.most)):
                card_id = min(due, key=lambda card: due[card])
                if due[card_id] <= at:
                    rating = _RATINGS[next(answers)]
                    card = record_review(access, card_id, rating=rating, at=at, duration_ms=_THOUGHT_MS)
                    due[card_id] = card["due_at"]


def _evening(member: Member, days_ago: int) -> datetime:
    """Return 19:20 in the member's time zone."""
    day = member.today() - timedelta(days=days_ago)
    return datetime.combine(day, time(19, 20), ZoneInfo(member.time_zone))
