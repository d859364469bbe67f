"""Uploaded files in a bucket of an S3-compatible server."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.files.storage import default_storage

from accounts.erasure.erasing import purge_all
from accounts.models import Member
from courses.models import SyllabusFile
from courses.syllabus_admin import read_again
from studyservice.changes.calls import acting, command
from studyservice.environment import file_storage
from tests.support.entry_points import RestEntryPoint
from tests.support.syllabus_files import pdf
from tests.support.uploads import multipart

pytestmark = [pytest.mark.database("sqlite", "file storage"), pytest.mark.rest]

BUCKET = "study-files"
FORM = "multipart/form-data; boundary=BoUnDaRyStRiNg"


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    """The address of an S3 server in another process."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                assert process.poll() is None
                assert time.monotonic() < deadline
                time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(10)


@pytest.fixture
def bucket(endpoint: str, monkeypatch: pytest.MonkeyPatch, settings: Any) -> Iterator[Any]:
    """An empty bucket in which the service stores files."""
    variables = {"BUCKET": BUCKET, "ENDPOINT": endpoint, "REGION": "eu-west-1", "ACCESS_KEY": "a", "SECRET_KEY": "s"}
    for name, value in variables.items():
        monkeypatch.setenv(f"S3_{name}", value)
    settings.STORAGES = settings.STORAGES | {"default": file_storage()}
    storage: Any = default_storage
    made = storage.connection.Bucket(BUCKET)
    made.create(CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
    yield made
    made.objects.all().delete()
    made.delete()


def keys(bucket: Any) -> list[str]:
    return [str(one.key).rpartition("/")[2] for one in bucket.objects.all()]


@pytest.mark.django_db(transaction=True)
def test_a_file_is_stored_and_deleted_in_the_bucket(owner: RestEntryPoint, bucket: Any) -> None:
    content = pdf([["Thu, Dec 3: midterm exam"]])
    sent = owner.client.post("/v1/syllabi", multipart(content, filename="Plan.pdf"), content_type=FORM)
    assert sent.status_code == 201
    syllabus = sent.json()
    assert (syllabus["text_status"], keys(bucket)) == ("read", [syllabus["id"]])
    assert owner.made("get_syllabus_file", syllabus_id=syllabus["id"]) == content
    course = owner.made("create_course", name="Biology", syllabus_id=syllabus["id"])
    owner.made("delete_course", course_id=course["id"])
    assert keys(bucket) == []


@pytest.mark.django_db(transaction=True)
def test_operators_can_download_it_and_have_it_read_again(admin: Any, owner: RestEntryPoint, bucket: Any) -> None:
    syllabus = owner.made("create_syllabus", text="Week 1")
    row = SyllabusFile.objects.get()
    assert row.file.url.startswith("/admin/")
    assert b"".join(admin.get(row.file.url)) == b"Week 1"
    assert read_again_as_operator(row) == "read"
    assert keys(bucket) == [syllabus["id"]]


def read_again_as_operator(row: SyllabusFile) -> str:
    with acting(command("test")):
        return read_again(row)


@pytest.mark.django_db(transaction=True)
def test_unattached_files_are_purged(
    owner: RestEntryPoint, owner_member: Member, bucket: Any, time_machine: Any
) -> None:
    attached, upload = (owner.made("create_syllabus", text=f"Week {number}") for number in (1, 2))
    owner.made("create_course", name="Biology", syllabus_id=attached["id"])
    bucket.put_object(Key="syllabi/ab/stray", Body=b"left behind")
    assert sorted(keys(bucket)) == sorted([attached["id"], upload["id"], "stray"])
    time_machine.move_to(datetime.now(UTC) + timedelta(hours=25))
    removed = purge_all()
    assert (removed["uploads"], removed["files_without_a_row"], keys(bucket)) == (1, 1, [attached["id"]])
    owner_member.delete()
    assert keys(bucket) == []


@pytest.mark.django_db
def test_lost_bytes_are_an_internal_error(owner: RestEntryPoint, bucket: Any) -> None:
    syllabus = owner.made("create_syllabus", text="Week 1")
    bucket.objects.all().delete()
    assert owner.call("get_syllabus_file", syllabus_id=syllabus["id"]).error == "internal_error"


@pytest.mark.django_db
def test_an_unreachable_bucket_is_500_and_leaves_no_row(
    owner: RestEntryPoint, bucket: Any, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))  # and nobody listens
        monkeypatch.setenv("S3_ENDPOINT", f"http://127.0.0.1:{silent.getsockname()[1]}")
        settings.STORAGES = settings.STORAGES | {"default": file_storage()}
        assert owner.call("create_syllabus", text="Week 1").error == "internal_error"
    assert SyllabusFile.objects.count() == 0


def test_an_incomplete_credential_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S3_BUCKET", BUCKET)
    monkeypatch.setenv("S3_ACCESS_KEY", "a")
    with pytest.raises(ImproperlyConfigured, match="S3_ACCESS_KEY and S3_SECRET_KEY"):
        file_storage()


def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S3_BUCKET", BUCKET)
    monkeypatch.setitem(sys.modules, "storages", None)
    with pytest.raises(ImproperlyConfigured, match=r"requirements/s3\.txt"):
        file_storage()
