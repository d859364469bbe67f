"""`python -m tools.bench.sizes`: bytes of each kind of row in PostgreSQL, including indexes, on the benchmark's data.

`--ids` compares the indexes of a table with random ids and with time-ordered ids. Their rows are otherwise the same,
and are added in the order of real use: 500,000 reviews of 5,000 cards.
"""

import argparse

import psycopg
from psycopg import sql

from tools.bench.markdown import table
from tools.bench.site import temporary_site

MEMBERS = 300
TABLES = {
    "member": "accounts_member",
    "API key": "accounts_apikey",
    "idempotency key": "accounts_idempotencykey",
    "course": "courses_course",
    "item": "courses_item",
    "milestone": "planning_milestone",
    "grade category": "grades_gradecategory",
    "score": "grades_gradescore",
    "deck": "vocab_deck",
    "card": "vocab_card",
    "review": "vocab_review",
    "attempt": "practice_attempt",
    "change": "accounts_change",
    "access token": "oauthserver_accesstoken",
    "refresh token": "oauthserver_refreshtoken",
}
REVIEWS = 500_000
IDS = {"random (version 4)": "gen_random_uuid()", "by time (version 7)": "uuidv7()"}

_REVIEW_EACH_CARD = """
    INSERT INTO vocab_review
        (id, rating, reviewed_at, duration_ms, desired_retention, state, step, stability, difficulty, due_at,
        last_reviewed_at, card_id, member_id, by_kind, by_id, by_name)
    SELECT gen_random_uuid(), 'good', now() - random() * interval '1 year', 1200, 0.9, 'review', NULL, 12.5, 5.1,
        now(), now(), id, member_id, 'app', gen_random_uuid(), 'Claude'
    FROM vocab_card
"""
_KEY_FOR_EACH_ITEM = """
    INSERT INTO accounts_idempotencykey
        (id, member_id, holder, key, fingerprint, status, answer, whole, created_at)
    SELECT gen_random_uuid(), item.member_id, gen_random_uuid(), gen_random_uuid(),
        encode(sha256(item.id::text::bytea), 'hex'), 201,
        json_build_object('id', item.id, 'course_id', course_id, 'course_name', name, 'title', title, 'kind', kind,
            'due_on', due_on, 'days_until', 17, 'created_at', item.created_at, 'updated_at', item.updated_at),
        true, now() - random() * interval '1 day'
    FROM courses_item item JOIN courses_course course ON course.id = course_id
"""
_ROWS = """
    SELECT count(*), pg_relation_size('{0}')::float / count(*), pg_total_relation_size('{0}')::float / count(*) FROM {0}
"""
_REVIEW_5000_CARDS = """
    INSERT INTO vocab_review (id, member_id, card_id, rating, reviewed_at, desired_retention, state, due_at)
    SELECT {id}, member_id, id, 'good', now() - interval '1 year' + {number} * interval '1 minute', 0.9, 'review', now()
    FROM (SELECT *, row_number() OVER () AS place FROM vocab_card LIMIT 5000) AS cards
"""
_INDEXES = """
    SELECT indexrelname, pg_relation_size(indexrelid) FROM pg_stat_user_indexes
    WHERE relname = 'vocab_review' ORDER BY indexrelname
"""


def main() -> None:
    """Fill a database, and print a Markdown table."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench.sizes", description=__doc__)
    parser.add_argument("--ids", action="store_true", help="compare indexes of ids instead")
    parser.add_argument("--members", type=int, default=MEMBERS)
    options = parser.parse_args()
    with temporary_site(durable=False) as site:
        url = site.postgres.create("sizes")
        site.fill(url, site.directory / "data", options.members, "seed.fill", "seed_more.changes")
        with psycopg.connect(url, autocommit=True) as connection:
            print(_ids(connection) if options.ids else _rows(connection))


def _rows(connection: psycopg.Connection) -> str:
    for statement in (_REVIEW_EACH_CARD, _KEY_FOR_EACH_ITEM, "VACUUM ANALYZE"):
        connection.execute(statement.encode())
    rows = []
    for name, of_database in TABLES.items():
        [(number, own, whole)] = connection.execute(_ROWS.format(of_database).encode()).fetchall()
        rows.append((name, number, f"{own:.0f}", f"{whole:.0f}"))
    return table(["row", "rows measured", "bytes of the row itself", "with its indexes"], rows)


def _ids(connection: psycopg.Connection) -> str:
    found = [_grown(connection, id_) for id_ in IDS.values()]
    rows = [(index, *(f"{sizes[index] / 2**20:.1f}" for sizes in found)) for index in found[0]]
    return table([f"index of {REVIEWS:,} reviews, MiB", *IDS], rows)


def _grown(connection: psycopg.Connection, id_: str) -> dict[str, int]:
    """Fill the table. Return the bytes of each index."""
    connection.execute("TRUNCATE vocab_review")
    added = 0
    while added < REVIEWS:
        statement = sql.SQL(_REVIEW_5000_CARDS).format(id=sql.SQL(id_), number=sql.Literal(added))
        added += connection.execute(statement).rowcount
    return dict(connection.execute(_INDEXES).fetchall())


if __name__ == "__main__":
    main()
