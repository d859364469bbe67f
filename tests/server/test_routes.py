"""Unknown addresses."""

import pytest
from django.conf import settings
from django.test import Client

from tests.support.cases import each

pytestmark = pytest.mark.database("sqlite", "routes are code")


@pytest.mark.django_db
@each(
    ("path", "hint"),
    [
        ("/v1/courses/", "Leave out the slash at its end: /v1/courses."),
        ("/v1/course", f"Every operation is listed at {settings.BASE_URL}/docs."),
        ("/v1/courses//", "Leave out the slash at its end: /v1/courses."),
        ("/v1/", f"Every operation is listed at {settings.BASE_URL}/docs."),
    ],
)
def test_an_unknown_address_names_the_right_one(client: Client, path: str, hint: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert answer.json()["error"]["message"] == f"Page not found. {hint}"
