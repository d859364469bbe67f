"""Parameters of the operations that read decks."""

from typing import Any

from rest_framework import serializers

from studyservice.operations.fields import DateField, IdField
from studyservice.operations.query_fields import QueryBooleanField, QueryIntegerField
from studyservice.operations.serializers import Query
from vocab.exam_records import minutes_field
from vocab.serializers import MAX_CARDS


class DecksQuery(Query):
    """Parameters of list_vocab_decks."""

    deck_id = IdField(required=False, help_text="Only this deck.")
    include_cards = QueryBooleanField(
        default=False, help_text="Whether to answer the deck's cards too, due first; needs deck_id."
    )
    due_only = QueryBooleanField(
        default=False,
        help_text="Only the cards to ask now, in this order: those in learning, reviews that are due, then new cards, "
        "as many as new_cards_a_day of get_me allows today; none that is suspended: create_vocab_deck with merge sets "
        "that, or update_vocab_card over REST. Needs include_cards.",
    )
    limit = QueryIntegerField(
        min_value=1,
        max_value=MAX_CARDS,
        required=False,
        help_text="At most this many cards, the first ones; needs include_cards.",
    )
    on = DateField(
        required=False,
        help_text="A day from today to a year ahead: readiness of each deck then. Unseen cards count as 0 in "
        "expected_recall.",
    )

    for_item = IdField(
        required=False,
        help_text="Instead of deck_id, an exam or quiz due in 1 to 120 days: the decks of its course, the first with "
        "today's cards of its plan across all of them, in the order to ask.",
    )
    minutes_a_day = minutes_field("Minutes a day of that plan, 5 to 600; needs for_item.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Reject requests for the cards of every deck, and parameters about cards or a plan that were not requested."""
        wrong = {}
        if ("for_item" in attrs) is not ("minutes_a_day" in attrs):
            needed = "Needs for_item, the exam to plan for." if "minutes_a_day" in attrs else "Is needed with for_item."
            wrong["minutes_a_day"] = [needed]
        if "for_item" in attrs:
            if "deck_id" in attrs or attrs["due_only"]:
                wrong["for_item"] = ["Answers today's cards of all decks of a course: leave out deck_id and due_only."]
            if wrong:
                raise serializers.ValidationError(wrong)
            return attrs
        if attrs["include_cards"] and "deck_id" not in attrs:
            wrong["include_cards"] = ["Needs deck_id, the deck whose cards to answer."]
        if not attrs["include_cards"]:
            about_cards = [name for name in ("due_only", "limit") if attrs.get(name)]
            wrong |= {name: ["Needs include_cards."] for name in about_cards}
        if wrong:
            raise serializers.ValidationError(wrong)
        return attrs
