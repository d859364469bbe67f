"""The server process: gunicorn's worker, who waits for what and whose turn it is, health, metrics."""
