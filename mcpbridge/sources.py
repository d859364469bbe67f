"""The source of each id that tools accept. A test compares this table with the tools."""

SOURCES = {
    "course_id": "list_courses",
    "item_id": "list_items",
    "milestone_id": "list_milestones",
    "category_id": "get_grades",
    "score_id": "get_grades",
    "deck_id": "list_vocab_decks",
    "card_id": "list_vocab_decks",
}
"""Argument to the reading tool that is the best source of such ids."""
