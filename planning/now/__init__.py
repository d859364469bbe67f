"""What to do in the available minutes: ordered rules, each named in the answer.

`situation` says what the rules look at, `ranks` has a function for each rank, `filling` gives minutes to what they
find. Nothing here reads the database or the clock.
"""
