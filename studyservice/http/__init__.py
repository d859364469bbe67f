"""What HTTP asks of every answer: paths, bodies, request ids, addresses, logs, caching, pages, errors as answers."""
