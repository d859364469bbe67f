"""The guides: Markdown of this repository, rendered when a page is first asked for."""
