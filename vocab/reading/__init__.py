"""Reading decks out of files, for the child process (`studyservice.reading.child`): nothing of Django is imported."""
