"""Readers of deck files for the child process (`studyservice.reading.child`). They import nothing of Django."""
