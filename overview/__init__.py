"""Pages that bring several subjects together: a course with its plan, grades and decks, an item with its plan."""
