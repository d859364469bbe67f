"""Uploaded syllabus files: stored for a day or attached to a course permanently, with their proposals."""
