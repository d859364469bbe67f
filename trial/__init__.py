"""The trial of `make run`: a demo member with lifelike data. Stands on top of every app."""
