"""The operators' admin: its site, and the base classes of its pages."""
