"""School calendars, against HTTPS servers of the tests."""
