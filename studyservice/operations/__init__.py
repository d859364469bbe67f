"""What an operation is made of: its declaration, fields, parsers, records, errors and JSON."""
