"""What a statement hands to the database, on each kind of it."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from psycopg import _queries

from studyservice.database.statements import RawStatement


@pytest.mark.rest
@pytest.mark.django_db
class TestWritten:
    def test_a_percent_sign_is_no_place_for_a_value(self) -> None:
        statement = RawStatement("SELECT '100%%', '%%s', %(first)s, %(second)s")
        assert statement.all(first="a", second="b") == [("100%", "%s", "a", "b")]

    def test_it_takes_more_values_than_the_driver_remembers_a_statement_for(self) -> None:
        values = {f"value_{number}": str(number) for number in range(120)}
        statement = RawStatement(f"SELECT {', '.join(f'%({name})s' for name in values)}")
        assert statement.all(**values) == [tuple(values.values())]

    @pytest.mark.database("postgresql")
    def test_the_driver_reads_no_statement_for_its_places(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Reading one of a hundred values takes longer than sending it, and would be done on every call."""
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
