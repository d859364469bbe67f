"""The guides: markdown of this repository, rendered when the service is built and served as pages.

What renders (`catalog`, `markdown`, `building`) knows no Django, so that the build of the package can run it too.
"""
