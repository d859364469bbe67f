"""The clients that are built from docs/openapi.json: `python -m clients`, or `make clients`."""
