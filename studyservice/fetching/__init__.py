"""Safe outgoing requests to addresses that others supply."""
