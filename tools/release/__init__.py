"""`make release`: check that the version is new, build the package, and try it in an empty environment."""
