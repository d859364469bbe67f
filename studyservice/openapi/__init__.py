"""The machine-readable description, made from what the operations declare."""
