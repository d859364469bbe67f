"""Read a syllabus: its dates, items and weights, and whether a quoted line confirms a date.

The input is text, and the output dataclasses. This package knows no members, models or requests, and writes nothing.
"""
