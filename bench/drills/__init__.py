"""`make drills`: break what the service stands on, under load, and count what clients were told against what is stored.

One drill per file; `site` starts and kills servers, `load` writes and remembers, `stored` compares.
"""
