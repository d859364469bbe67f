"""Undo. `seen.why_not` refuses what can never be undone, `undo` what has changed since; `stored` only reads."""
