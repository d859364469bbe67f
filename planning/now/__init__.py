"""Steps for the available minutes: ordered rules, each named in the answer.

`situation` is the input of the rules, and `ranks` has a function for each rank and assigns minutes to their results.
Only `reading` reads the database.
"""
