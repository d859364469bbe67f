"""`make bench`: compare this service with the fastest possible server, and with common frameworks.

All give the same answers from the same tables, measured in the same minutes. No test asserts the figures.
"""
