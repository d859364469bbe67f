"""The practice that a credential limited to courses sees: that of decks whose course is now one of them.

Attempts of deleted decks are left out. The streak and the number of new cards of a day are the member's. So a day's own
sum keeps both. Its other numbers are 0, and those of its topics add up to what the credential sees.
"""

from django.apps import apps
from django.db.models import Model, Q, QuerySet

from practice.models import SumKind
from studyservice.database.statements import Param
from studyservice.rows.seen import AllCoursesSeen, seen

COURSE_NOW = "(SELECT d.course_id FROM vocab_deck d WHERE d.id = t.deck_id AND d.member_id = {member})"
"""The course of the deck, instead of its course at the time."""

SUMMED = ("attempts", "correct", "foretold_attempts", "foretold", "foretold_correct")
"""The numbers of a sum that are not the member's."""

NOT_OF_DAY = {name: f"CASE WHEN t.kind = 'day' THEN 0 ELSE t.{name} END" for name in SUMMED}


def of_seen_decks() -> Q:
    """Return the condition on rows of decks that the call sees."""
    deck: type[Model] = apps.get_model("vocab.Deck")  # of an app above this one
    decks: QuerySet[Model] = QuerySet(deck).filter(seen(deck), member_id=Param("member_id"))
    return Q(AllCoursesSeen()) | Q(deck_id__in=decks.values("id"))


def seen_sums() -> Q:
    """Return the condition on sums of decks that the call sees, and of days."""
    return Q(kind=SumKind.DAY) | of_seen_decks()
