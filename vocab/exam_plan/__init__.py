"""The daily study plan before an exam, computed only from the cards, without a database or a clock."""
