"""An incomplete upload, whose request is resumed later, leaves no file."""

import io
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.test.client import BOUNDARY, MULTIPART_CONTENT

from accounts.models import Member
from studyservice.server.bodies import BodyAwaited
from tests.support.entry_points import RestEntryPoint
from tests.support.uploads import multipart

pytestmark = [pytest.mark.database("sqlite", "bodies of files"), pytest.mark.rest, pytest.mark.django_db]

MIB = 1024 * 1024
WHOLE = multipart(b"the first file", filename="a.txt").removesuffix(f"--{BOUNDARY}--\r\n".encode())
FORM = WHOLE + multipart(b"x" * MIB, filename="b.txt")
PAGES = ["/courses/new", "/courses/{}/calendar", "/decks/import", "/account/import"]


class Cut(io.BytesIO):
    """A body whose remaining bytes have not arrived yet."""

    def read(self, size: int | None = -1) -> bytes:
        """The received bytes, as from `studyservice.server.bodies`."""
        if data := super().read(size):
            return data
        raise BodyAwaited


@pytest.fixture
def temporary(settings: Any, tmp_path: Path) -> Path:
    """The directory of temporary uploads."""
    settings.FILE_UPLOAD_TEMP_DIR = tmp_path
    return tmp_path


def send_a_part(client: Client, path: str) -> BodyAwaited:
    cut: Any = {"wsgi.input": Cut(FORM[: MIB // 2]), "CONTENT_LENGTH": str(len(FORM))}
    with pytest.raises(BodyAwaited) as begun_again:
        client.generic("POST", path, b"x", MULTIPART_CONTENT, **cut)
    return begun_again.value  # Free the frames that had the files, which the garbage collector may keep for long


def test_a_cut_upload_to_an_operation_leaves_no_file(owner: RestEntryPoint, temporary: Path) -> None:
    held = send_a_part(owner.client, "/v1/import")
    assert list(temporary.iterdir()) == []
    assert held.__traceback__ is not None


@pytest.mark.parametrize("path", PAGES)
def test_a_cut_upload_to_a_page_leaves_no_file(owner_member: Member, course: Any, temporary: Path, path: str) -> None:
    browser = Client()
    browser.force_login(owner_member)
    held = send_a_part(browser, path.format(course["id"]))
    assert list(temporary.iterdir()) == []
    assert held.__traceback__ is not None
