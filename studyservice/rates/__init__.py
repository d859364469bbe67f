"""Rate limits: the table of rates, and the counters."""
