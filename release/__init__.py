"""`make release`: check that the version is new, build the package, and test it in an empty environment."""
