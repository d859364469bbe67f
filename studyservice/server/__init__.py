"""The server process: gunicorn's worker, fair queues, health checks, metrics."""
