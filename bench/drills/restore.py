"""To come."""

REQUESTS = 0


def drill(site):
    return []
