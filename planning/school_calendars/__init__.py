"""School calendars: calendars that the service reads by their secret address, again and again."""
