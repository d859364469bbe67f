"""The SQL and values that are sent to each kind of database."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from psycopg import _queries

from studyservice.database.statements import RawStatement


@pytest.mark.rest
@pytest.mark.django_db
class TestWritten:
    def test_a_percent_sign_is_not_a_placeholder(self) -> None:
        statement = RawStatement("SELECT '100%%', '%%s', %(first)s, %(second)s")
        assert statement.all(first="a", second="b") == [("100%", "%s", "a", "b")]

    def test_a_statement_can_have_more_values_than_the_driver_caches(self) -> None:
        values = {f"value_{number}": str(number) for number in range(120)}
        statement = RawStatement(f"SELECT {', '.join(f'%({name})s' for name in values)}")
        assert statement.all(**values) == [tuple(values.values())]

    @pytest.mark.database("postgresql")
    def test_the_driver_does_not_parse_placeholders(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Parsing a statement with a hundred values takes longer than sending it, and would happen on every call."""
        read: list[Any] = []

        def note(real: Callable[..., Any]) -> Callable[..., Any]:
            def noted(*args: Any) -> Any:
                read.append(args)
                return real(*args)

            return noted

        for name in ("_query2pg", "_query2pg_nocache"):
            monkeypatch.setattr(_queries, name, note(getattr(_queries, name)))
        connection.connection.execute("SELECT %s", ["by the driver"])
        assert len(read) == 1
        with connection.cursor() as cursor:
            cursor.execute("SELECT %s", ["by Django"])
            assert cursor.fetchone() == ("by Django",)
        assert RawStatement("SELECT %(value)s").all(value="a") == [("a",)]
        assert len(read) == 1
