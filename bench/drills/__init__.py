"""`make drills`: break databases and servers under load, and compare the answers that clients got with the database.

One drill per file. `load` writes and records, `watch` calls again and again, `stored` compares.
"""
