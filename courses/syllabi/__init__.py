"""What a syllabus says: its dates, its items and weights, and whether a line it quotes bears out a date.

Text comes in and dataclasses go out. Nothing here knows a member, a model or a request, and nothing is written.
"""
