"""Files of syllabi that members bring: kept for a day, attached to a course for good, and what they propose."""
