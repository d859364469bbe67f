"""A syllabus read by a language model that the operator names. Every row is checked against the text."""
