"""Shared parts of HTTP: paths, bodies, request ids, addresses, logs, caching, pages, errors."""
