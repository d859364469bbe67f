"""The text of a syllabus file, whatever its type.

`files` is called by the service; `reader` and what it calls run in the child process of `studyservice.reading` and
import nothing of Django.
"""
