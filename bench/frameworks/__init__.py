"""The same answers from the same tables as most developers would write them first, each by its framework's own guide.

They neither count requests nor log them, and keep their connections.
"""
