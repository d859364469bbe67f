"""The text of a syllabus file of any type.

The service calls `files`. `reader` and its modules run in the child process of `studyservice.reading` and import
nothing of Django.
"""
