"""`python -m bench.sizes`: bytes of each kind of row in PostgreSQL, indexes included, on the data of the benchmark."""

import secrets
import tempfile
from contextlib import ExitStack
from pathlib import Path

import psycopg

from bench.contestants import environment
from bench.prepare import prepared
from tests.support import postgres

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
_REVIEWS = """
    INSERT INTO vocab_review
        (id, rating, reviewed_at, duration_ms, desired_retention, state, step, stability, difficulty, due_at,
        last_reviewed_at, card_id, member_id, by_kind, by_id, by_name)
    SELECT gen_random_uuid(), 'good', now() - random() * interval '1 year', 1200, 0.9, 'review', NULL, 12.5, 5.1,
        now(), now(), id, member_id, 'app', gen_random_uuid(), 'Claude'
    FROM vocab_card
"""
"""One review of each card; the benchmark's seed has none."""

_KEYS = """
    INSERT INTO accounts_idempotencykey
        (id, member_id, holder, key, fingerprint, status, answer, whole, created_at)
    SELECT gen_random_uuid(), item.member_id, gen_random_uuid(), gen_random_uuid(),
        encode(sha256(item.id::text::bytea), 'hex'), 201,
        json_build_object('id', item.id, 'course_id', course_id, 'course_name', name, 'title', title, 'kind', kind,
            'due_on', due_on, 'days_until', 17, 'created_at', item.created_at, 'updated_at', item.updated_at),
        true, now() - random() * interval '1 day'
    FROM courses_item item JOIN courses_course course ON course.id = course_id
"""
"""The answer to each creation of an item."""

_SIZE = """
    SELECT count(*), pg_relation_size('{0}')::float / count(*), pg_total_relation_size('{0}')::float / count(*) FROM {0}
"""


def main() -> None:
    """Fill a database, and print a table in Markdown."""
    with tempfile.TemporaryDirectory(prefix="studyservice-sizes-") as name, ExitStack() as stack:
        directory = Path(name)
        directory.chmod(0o755)  # PostgreSQL may run as another user
        server, url = postgres.start(directory / "postgresql")
        stack.callback(server.stop)
        env = environment(url, directory, secrets.token_urlsafe(64))
        prepared("bench.seed.fill", MEMBERS, env, directory / "cast")
        prepared("bench.seed_changes.leave", MEMBERS, env, directory / "nobody")
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(_REVIEWS)
            connection.execute(_KEYS)
            connection.execute("VACUUM ANALYZE")
            _print(connection)


def _print(connection: psycopg.Connection) -> None:
    print("| row | rows measured | bytes of the row itself | with its indexes |\n|---|---|---|---|")
    for name, table in TABLES.items():
        [(rows, own, whole)] = connection.execute(_SIZE.format(table)).fetchall()
        print(f"| {name} | {rows} | {own:.0f} | {whole:.0f} |")


if __name__ == "__main__":
    main()
