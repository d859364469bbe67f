"""Where an assistant gets the ids that tools take; a test holds the table to the tools there are."""

SOURCES = {
    "course_id": "list_courses",
    "item_id": "list_items",
    "milestone_id": "list_milestones",
    "category_id": "get_grades",
    "score_id": "get_grades",
    "deck_id": "list_vocab_decks",
    "card_id": "list_vocab_decks",
}
"""Argument to the reading tool whose answer holds such ids most directly."""
