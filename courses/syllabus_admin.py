"""Syllabus files in the admin: state and size for all operators, content for those with the permission."""

import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import IO, Any, ClassVar, NamedTuple
from uuid import UUID

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import FileResponse, Http404, HttpRequest

from accounts.operators.base import ReadOnlyAdmin, ServiceInline, note_reading
from courses.errors import NoSuchSyllabus
from courses.models import SyllabusFile
from courses.syllabi.reading.files import FileText, read_file
from courses.uploads.rows import MAX_BYTES, Upload, new_row, read_columns, require_place, require_room
from studyservice.http.requests import RequestKey
from studyservice.operations.errors import ApiError, InvalidRequest
from studyservice.operations.uploads import UploadedFile
from studyservice.rows.access import Access, change

MAY_READ = "courses.read_syllabusfile"
"""The permission to see the content of a file."""


class ReadFile(NamedTuple):
    """A file from an operator, already read."""

    upload: Upload
    found: FileText


BROUGHT = RequestKey[dict[str, ReadFile]]("brought")
"""The parsed files of a form, by field name."""


def add_to_course(access: Access, course_id: UUID, brought: ReadFile) -> None:
    """Store the file for the course, inside an open change that cannot be undone.

    Raises:
        Conflict: the course has too many files, or the member's files are too large in total.
    """
    require_place(access, course_id)
    require_room(access, brought.upload.size)
    SyllabusFile.rows.of(access).insert({**new_row(access, brought.upload, brought.found), "course_id": course_id})


def read_again(row: SyllabusFile) -> str:
    """Read a stored file again, as after a change of the reader. Return its `text_status`. The course's text is kept.

    Must not be called inside a transaction.

    Raises:
        NotFound: it was deleted meanwhile.
        InvalidRequest: its type is not supported.
        ReadingBusy: other files are being read.
        FileNotFoundError: storage has no such file.
    """
    with row.file.open("rb") as stored, _copied(stored) as file:
        columns = read_columns(read_file(file, row.filename))
    access = Access(row.member)
    with change(access, "read_syllabus_again") as log:
        log.cannot_be_undone()
        rows = SyllabusFile.rows.of(access)
        rows.update(rows.get(NoSuchSyllabus, "filename", *columns, id=row.id), columns)
    return str(columns["text_status"])


def _copied(content: IO[bytes]) -> IO[bytes]:
    """A file with a descriptor, which the child process needs."""
    file = tempfile.TemporaryFile()  # noqa: SIM115  # closed by the caller
    shutil.copyfileobj(content, file)
    file.flush()
    return file


def syllabus_file(request: HttpRequest, folder: str, file_id: UUID) -> FileResponse:
    """An uploaded file, as a download."""
    if not request.user.has_perm(MAY_READ):
        raise PermissionDenied
    file = SyllabusFile.objects.defer("text", "model_answer").filter(id=file_id).first()
    if file is not None:
        note_reading(file)
    if file is None or not file.file.storage.exists(str(file.file.name)):
        raise Http404
    return FileResponse(
        file.file.open("rb"), as_attachment=True, filename=file.filename, content_type="application/octet-stream"
    )


@contextmanager
def files_read(request: HttpRequest) -> Iterator[None]:
    """Read the files of a form before its transaction begins. Inside the block they are in `BROUGHT`.

    Raises:
        InvalidRequest: a file is too large, or of an unsupported type.
        ReadingBusy: other files are being read.
    """
    sent: Iterable[tuple[str, Any]] = request.FILES.items() if request.method == "POST" else ()
    brought: dict[str, ReadFile] = {}
    with ExitStack() as stack:
        for field, content in sent:
            file = stack.enter_context(_copied(content))
            size = file.seek(0, 2)
            if size > MAX_BYTES:
                raise InvalidRequest(f"The file is larger than {MAX_BYTES} bytes.")
            upload = Upload.of(UploadedFile(file, content.name or "", size), "")
            brought[field] = ReadFile(upload, read_file(upload.file, upload.filename))
        BROUGHT.set(request, brought)
        yield


class SyllabusFileInline(ServiceInline):
    """The files of a course, which can be added and removed but not changed."""

    model = SyllabusFile
    fields = ("file", "filename", "text_status", "size", "created_at")
    readonly_fields = ("filename", "text_status", "size", "created_at")
    ordering = ("created_at",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Without their texts."""
        return super().get_queryset(request).defer("text", "model_answer")


@admin.register(SyllabusFile)
class SyllabusFileAdmin(ReadOnlyAdmin):
    """Uploads and files of courses. Operators can delete them or have them read again."""

    text_path = "filename"
    list_display = ("filename", "member", "course", "text_status", "size", "pages", "expires_at")
    list_filter = ("text_status",)
    list_select_related = ("member", "course")
    ordering = ("member_id", "id")
    about: ClassVar[tuple[str, ...]] = (
        "filename",
        "member",
        "course",
        "media_type",
        "size",
        "sha256",
        "pages",
        "characters",
        "text_status",
        "created_at",
        "expires_at",
    )
    content: ClassVar[tuple[str, ...]] = ("file", "text")
    unread = ("text", "model_answer", "course__syllabus_text")
    actions = ("read_again",)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Show the content only with the permission to read it."""
        return self.about + self.content if request.user.has_perm(MAY_READ) else self.about

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Require only the delete permission, as for any object."""
        return bool(request.user.has_perm("courses.delete_syllabusfile"))

    def delete_model(self, request: HttpRequest, obj: SyllabusFile) -> None:
        """Delete like delete_syllabus, including expired files."""
        access = Access(obj.member)
        with change(access, "delete_syllabus"):
            SyllabusFile.rows.of(access).delete(obj.id)

    @admin.action(description="Read again", permissions=["act"])
    def read_again(self, request: HttpRequest, queryset: QuerySet[SyllabusFile]) -> None:
        """Read the files again, as after a change of the reader. The course's text is kept."""
        for file in queryset:
            try:
                status = read_again(file)
            except ApiError as error:
                self.message_user(request, f"{file.filename}: {error.message}", messages.ERROR)
            except FileNotFoundError:
                self.message_user(request, f"{file.filename}: storage has no such file.", messages.ERROR)
            else:
                self.log_change(request, file, "Read again.")
                self.message_user(request, f"{file.filename}: {status}.")
