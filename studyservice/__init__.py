"""The project: settings, addresses, and the ground that every operation stands on, in rooms."""
