"""Building blocks of operations: declarations, fields, parsers, records, errors and JSON."""
