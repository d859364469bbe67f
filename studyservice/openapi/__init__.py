"""The machine-readable description, generated from the declarations of the operations."""
