"""The same API on the same tables, written as each framework's own guide suggests.

They have neither rate limits nor logs, and keep their connections.
"""
