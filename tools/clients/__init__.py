"""API clients built from docs/openapi.json: `python -m tools.clients`, or `make clients`."""
