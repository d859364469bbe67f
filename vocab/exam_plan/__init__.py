"""What to study each day before an exam, computed only from the cards, without a database or a clock."""
