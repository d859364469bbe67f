"""Reading what members upload, in a child process that a hostile file can neither hold up nor grow without limit."""
