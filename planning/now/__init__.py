"""What to do in the minutes that the member has: an order of rules, each of which the answer tells.

`situation` says what the rules look at, `ranks` has a function for each rank, `filling` gives minutes to what they
find. Nothing here reads the database or the clock.
"""
