"""`python -m bench.index_growth`: what indexes on ids come to, with random ids and with ids that grow with time.

The rows are the same otherwise, and are added one after the other, as members add them: 500,000 reviews of 5,000
members' cards, on PostgreSQL.
"""

import secrets
import tempfile
from contextlib import ExitStack
from pathlib import Path

import psycopg
from psycopg import sql

from bench.contestants import environment
from bench.prepare import prepared
from tests.support import postgres

ROWS = 500_000
MEMBERS = 100
"""Of the benchmark's data, whose cards the reviews are of."""

KINDS = {"random (version 4)": "gen_random_uuid()", "by time (version 7)": "uuidv7()"}

_REVIEWS = """
    INSERT INTO vocab_review (id, member_id, card_id, rating, reviewed_at, desired_retention, state, due_at)
    SELECT {id}, member_id, id, 'good', now() - interval '1 year' + {number} * interval '1 minute', 0.9, 'review', now()
    FROM (SELECT *, row_number() OVER () AS place FROM vocab_card LIMIT 5000) AS cards
"""
"""One review of each of 5,000 cards, later than the rounds before."""

_SIZES = """
    SELECT indexrelname, pg_relation_size(indexrelid) FROM pg_stat_user_indexes
    WHERE relname = 'vocab_review' ORDER BY indexrelname
"""


def main() -> None:
    """Fill the table once with each kind of id, and print a table in Markdown."""
    with tempfile.TemporaryDirectory(prefix="studyservice-growth-") as name, ExitStack() as stack:
        directory = Path(name)
        directory.chmod(0o755)  # PostgreSQL may run as another user
        server, url = postgres.start(directory / "postgresql")
        stack.callback(server.stop)
        prepared("bench.seed.fill", MEMBERS, environment(url, directory, secrets.token_urlsafe(64)), directory / "cast")
        with psycopg.connect(url, autocommit=True) as connection:
            found = {kind: _grown(connection, id_) for kind, id_ in KINDS.items()}
    print(f"| index of {ROWS:,} reviews, MiB | {' | '.join(KINDS)} |\n|---|---|---|")
    for index in next(iter(found.values())):
        print(f"| {index} | {' | '.join(f'{sizes[index] / 2**20:.1f}' for sizes in found.values())} |")


def _grown(connection: psycopg.Connection, id_: str) -> dict[str, int]:
    """Index to its bytes, after as many rounds as it takes."""
    connection.execute("TRUNCATE vocab_review")
    added = 0
    while added < ROWS:
        statement = sql.SQL(_REVIEWS).format(id=sql.SQL(id_), number=sql.Literal(added))
        added += connection.execute(statement).rowcount
    return dict(connection.execute(_SIZES).fetchall())


if __name__ == "__main__":
    main()
