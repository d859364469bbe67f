"""Pages that combine several apps: a course with its plan, grades and decks, and an item with its plan."""
