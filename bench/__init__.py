"""`make bench`: this service against the least that could do its work, and against what most would write.

Nothing here is asserted in a test: the figures say how fast the service is on the machine at hand, beside two other
servers of the same answers from the same tables, measured in the same minutes.
"""
