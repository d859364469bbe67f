"""Undo. `seen.why_not` refuses what can never be undone, `engine` what has changed since; `stored` only reads."""
