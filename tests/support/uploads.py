"""Forms with a file, as clients send them."""

from typing import TYPE_CHECKING

from django.core.files.base import ContentFile
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test.client import BOUNDARY, encode_multipart

if TYPE_CHECKING:
    from accounts.models import Member
    from courses.models import SyllabusFile


def multipart(file: bytes, part: str = "file", filename: str = "upload", **fields: str) -> bytes:
    """Return `file` as a form with `fields`, for `MULTIPART_CONTENT` of Django's test client."""
    return encode_multipart(BOUNDARY, {part: SimpleUploadedFile(filename, file), **fields})


def stored_file(
    member: "Member", course_id: str, content: bytes = b"Week 1", filename: str = "syllabus.pdf"
) -> "SyllabusFile":
    """A stored file of a course."""
    from courses.models import SyllabusFile
    from tests.support.factories import SyllabusFileFactory

    row: SyllabusFile = SyllabusFileFactory.build(member=member, course=None, filename=filename, size=len(content))
    row.course_id = course_id
    row.file.save(filename, ContentFile(content), save=False)
    row.save(force_insert=True)
    return row
