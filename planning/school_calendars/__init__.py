"""School calendars, which the service reads regularly at their secret address."""
