"""`make drills`: break databases and servers under load, and compare the clients' answers with the database.

One drill per file. `load` writes and records, `watch` repeats calls, `stored` compares.
"""
