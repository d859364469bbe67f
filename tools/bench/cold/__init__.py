"""`python -m tools.bench.cold`: calls of members whose rows are on the disk and in no cache.

`seed` fills a database, `bound` keeps its files out of memory, `pages` counts what a statement reads.
"""
