"""Building blocks of operations: declaration, fields, parsers, records, errors and JSON."""
