"""Read a syllabus: its dates, items and weights, and whether a quoted line confirms a date.

Text comes in and dataclasses go out. Nothing here knows a member, a model or a request, and nothing is written.
"""
