"""The trial of `make run`: a demo member with realistic data. It may import every app."""
