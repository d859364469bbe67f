"""Stores described accounts as rows, many at once."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, time, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from django.db.models import Model

from accounts.models import Member
from practice.models import PracticeSum, SumKind
from practice.rebuilding import rebuild_sums
from tests.support.agenda_description import Account, Attempt
from tests.support.factories import (
    AttemptFactory,
    CardFactory,
    CourseFactory,
    DeckFactory,
    GradeCategoryFactory,
    GradeScoreFactory,
    ItemFactory,
    MemberFactory,
    MilestoneFactory,
)


def stored_accounts(accounts: Sequence[Account]) -> list[Member]:
    """The members of these accounts, in the same order."""
    members = [
        MemberFactory.build(
            time_zone=account.zone,
            new_cards_a_day=account.new_cards_a_day,
            seconds=account.seconds or 0,
            seconds_reviews=account.seconds_reviews,
        )
        for account in accounts
    ]
    rows = [row for account, member in zip(accounts, members, strict=True) for row in _rows(account, member)]
    _insert(members)
    for model in dict.fromkeys(type(row) for row in rows):
        _insert([row for row in rows if type(row) is model])
    rebuild_sums([member.id for member in members])
    for account, member in zip(accounts, members, strict=True):
        if account.first_reviews:
            _add_first_reviews(account, member)
    return members


def _add_first_reviews(account: Account, member: Member) -> None:
    """Add first reviews to the sum of the member's today, without making a topic weaker."""
    today, _ = PracticeSum.objects.get_or_create(
        member=member,
        kind=SumKind.DAY,
        starts_on=account.today,
        defaults={"topic_key": UUID(int=0), "attempts": account.first_reviews, "correct": 0, "newest_at": account.now},
    )
    PracticeSum.objects.filter(id=today.id).update(firsts=account.first_reviews)


def _insert(rows: Sequence[Model]) -> None:
    type(rows[0])._default_manager.bulk_create(rows, batch_size=500)


def _rows(account: Account, member: Member) -> Iterable[Model]:
    """The rows of an account, in an order that satisfies foreign keys."""
    courses: dict[Any, Any] = {None: None}
    for course in account.courses:
        courses[course.id] = CourseFactory.build(
            member=member, id=course.id, name=course.name, archived=course.archived
        )
        yield courses[course.id]
        categories: dict[Any, Any] = {None: None}
        for place, category in enumerate(course.categories, 1):
            categories[category.id] = GradeCategoryFactory.build(
                member=member, course=courses[course.id], id=category.id, weight=category.weight, position=place
            )
            yield categories[category.id]
        graded = {score.item_id for category in course.categories for score in category.scores}
        items: dict[Any, Any] = {None: None}
        for item in course.items:
            items[item.id] = ItemFactory.build(
                member=member,
                course=courses[course.id],
                id=item.id,
                title=item.title,
                kind=item.kind,
                due_on=item.due_on,
                done=item.done,
                done_at=account.now - timedelta(days=1) if item.done else None,
                graded=item.id in graded,
                missable_from=item.missable_from,
                category=categories[item.category_id],
                created_at=item.created_at,
            )
            yield items[item.id]
            for milestone in item.milestones:
                yield MilestoneFactory.build(
                    member=member,
                    item=items[item.id],
                    id=milestone.id,
                    title=milestone.title,
                    due_on=milestone.due_on,
                    done=milestone.done,
                    position=milestone.position,
                    created_at=milestone.created_at,
                )
        for category in course.categories:
            for score in category.scores:
                yield GradeScoreFactory.build(
                    member=member, category=categories[category.id], id=score.id, item=items[score.item_id]
                )
    for deck in account.decks:
        its_deck = DeckFactory.build(
            member=member,
            course=courses[deck.course_id],
            id=deck.id,
            name=deck.name,
            card_count=len(deck.cards),
            created_at=deck.created_at,
        )
        yield its_deck
        for place, card in enumerate(deck.cards, 1):
            yield CardFactory.build(
                member=member,
                deck=its_deck,
                id=card.id,
                position=place,
                state=card.state,
                step=None if card.state == "review" else 0,
                due_at=card.due_at,
                stability=card.stability,
                difficulty=card.stability and 5,
                last_reviewed_at=card.last_reviewed_at,
                reps=0 if card.state == "new" else 1,
                suspended=card.suspended,
            )
    for attempt in account.attempts:
        yield _attempt(attempt, account, member)


def _attempt(attempt: Attempt, account: Account, member: Member) -> Model:
    """Noon of the attempt's day, or now if that is earlier."""
    noon = datetime.combine(attempt.day, time(12), ZoneInfo(account.zone)).astimezone(UTC)
    return AttemptFactory.build(
        member=member,
        topic=attempt.topic,
        deck_id=attempt.deck_id,
        course_id=attempt.course_id,
        correct=attempt.correct,
        day=attempt.day,
        attempted_at=min(noon, account.now),
    )
