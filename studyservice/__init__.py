"""The project: settings, addresses, and the ground that every operation stands on, in packages."""

__version__ = "1.0.0"
"""The package's own; a release is tagged with it. That of the API is `settings.API_VERSION`."""
