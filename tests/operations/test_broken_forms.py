"""An invalid form gets a 400 with the same message from every operation that accepts a file."""

from typing import Any

import pytest

from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint

pytestmark = [pytest.mark.django_db, pytest.mark.rest, pytest.mark.same_statements]

FORM = b'--edge\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\na,b\r\n--edge--\r\n'
EDGE = "multipart/form-data; boundary=edge"
BROKEN = {
    "no boundary": ("multipart/form-data", FORM),
    "another boundary": ("multipart/form-data; boundary=other", FORM),
    "no form": (EDGE, b"a,b\n"),
    "cut in the file": (EDGE, FORM[:-14]),
    "cut in a head": (EDGE, FORM[:40]),
    "cut in its end": (EDGE, FORM[:-4]),
}
PATHS = ("/v1/syllabi", "/v1/vocab-decks/import", "/v1/import", "/v1/courses/{course_id}/calendar")


@each("path", PATHS)
@each("broken", BROKEN)
def test_an_invalid_form_is_400_with_one_message(owner: RestEntryPoint, course: Any, broken: str, path: str) -> None:
    content_type, body = BROKEN[broken]
    answer = owner.request("POST", path.format(course_id=course["id"]), data=body, content_type=content_type)
    error = answer.json()["error"]
    assert (answer.status_code, error["type"]) == (400, "invalid_request")
    assert error["message"] == "The body is not valid multipart/form-data."


def test_a_complete_form_is_read(owner: RestEntryPoint) -> None:
    for body in (FORM, FORM.removesuffix(b"\r\n"), b"preamble\r\n" + FORM + b"epilogue"):
        answer = owner.request("POST", "/v1/vocab-decks/import", data=body, content_type=EDGE)
        assert answer.status_code == 201, answer.content
