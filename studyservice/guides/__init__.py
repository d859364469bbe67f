"""The guides: Markdown of this repository, rendered at build time and served as pages.

The rendering modules (`catalog`, `markdown`, `building`) do not import Django, so that the package build can run them
too.
"""
