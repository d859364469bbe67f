"""Build API clients from docs/openapi.json: `python -m clients`, or `make clients`."""
