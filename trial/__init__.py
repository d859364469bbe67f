"""The trial of `make run`: a demo member with lifelike data. It may import every app."""
