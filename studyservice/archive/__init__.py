"""The archive of a member's data: export as one ZIP, and import into an empty account (docs/archive.md)."""
