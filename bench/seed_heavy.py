"""One member with as many flashcards as there can be and a year of practice."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from accounts.models import Member
from bench.cast import Subject
from bench.seed_credentials import add_keys
from bench.tables import chance, copy, new_id
from practice.models import Attempt, Source
from practice.rebuilding import rebuild_sums
from vocab.models import Card, CardState, Deck

DECKS = 100
CARDS = 500
ATTEMPTS = 50_000
DAYS = 365
KEYS = 200
"""Each has its own rate limit; a member of the service can have ten."""


def add_heavy(now: datetime) -> list[Subject]:
    """The member, under each of the keys."""
    member = new_id()
    decks = [new_id() for _ in range(DECKS)]
    copy(Member, [Member(id=member, email="heavy@example.org", name="Heavy", write_clock=now)])
    secrets = add_keys([member] * KEYS, now)
    copy(Deck, _deck_rows(member, decks, now))
    copy(Card, _card_rows(member, decks, now))
    copy(Attempt, _attempt_rows(member, decks, now))
    rebuild_sums([member])
    return [Subject(secret) for secret in secrets]


def _deck_rows(member: UUID, decks: Sequence[UUID], now: datetime) -> Iterator[Deck]:
    for number, deck in enumerate(decks):
        created_at = now - timedelta(days=DAYS) + timedelta(minutes=number)
        yield Deck(
            id=deck,
            member_id=member,
            name=f"Deck {number}",
            card_count=CARDS,
            created_at=created_at,
            updated_at=created_at,
        )


def _card_rows(member: UUID, decks: Sequence[UUID], now: datetime) -> Iterator[Card]:
    """Learned cards, one in six of them due."""
    for deck in decks:
        for position in range(1, CARDS + 1):
            due_at = now + timedelta(days=chance.uniform(-20, 100))
            yield Card(
                id=new_id(),
                member_id=member,
                deck_id=deck,
                position=position,
                term=f"Term {position}",
                definition="What the term means, in a sentence of an ordinary length.",
                state=CardState.REVIEW.value,
                step=None,
                stability=40.0,
                difficulty=5.0,
                due_at=due_at,
                last_reviewed_at=due_at - timedelta(days=40),
                reps=5,
            )


def _attempt_rows(member: UUID, decks: Sequence[UUID], now: datetime) -> Iterator[Attempt]:
    """Attempts in the order in which they were made, every day some of them, five of six correct."""
    for number in range(ATTEMPTS):
        at = now - timedelta(days=DAYS * (ATTEMPTS - number) / ATTEMPTS - 1 / 24)
        deck = chance.randrange(DECKS)
        yield Attempt(
            id=new_id(),
            member_id=member,
            source=Source.VOCAB.value,
            topic=f"Deck {deck}",
            deck_id=decks[deck],
            correct=chance.random() < 5 / 6,
            attempted_at=at,
            day=at.date(),
        )
