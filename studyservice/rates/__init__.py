"""Rate limits: the table of rates, and where windows are counted."""
