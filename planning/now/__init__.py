"""Steps for the available minutes: ordered rules, each named in the answer.

`situation` is the input of the rules, `ranks` has a function for each rank, and `filling` assigns minutes to their
results. Nothing here reads the database or the clock.
"""
