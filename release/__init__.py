"""What `make release` does: see that the version is new, build the package, and try it where nothing else is."""
