"""API clients built from docs/openapi.json: `python -m clients`, or `make clients`."""
