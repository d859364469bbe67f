"""The operators' admin: one site, and the base of every page in it."""
