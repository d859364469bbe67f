"""Read uploaded files in a child process, so that a hostile file cannot block the service or exhaust its memory."""
