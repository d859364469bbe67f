"""The archive of a member's data: written as one ZIP, and read again into an empty account (docs/archive.md)."""
