"""Every connection limits its statements."""

import pytest
from django.db import connection

from studyservice.database.limiting import limit


@pytest.mark.django_db
def test_a_connection_limits_each_statement_once_after_it_connects_again():
    another = connection.copy()
    try:
        for _ in range(2):
            another.connect()
            assert another.execute_wrappers == [limit]
            another.close()
    finally:
        another.close()
