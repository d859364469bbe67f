"""What to study each day before an exam: calculated from the cards alone, without a database or a clock."""
