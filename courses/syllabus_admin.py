"""Syllabus files in the admin: state and size for all operators, content for those with the permission."""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, ClassVar
from uuid import UUID

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import FileResponse, Http404, HttpRequest

from accounts.operators.base import ReadOnlyAdmin, ServiceInline, note_reading
from accounts.rows.access import Access, change
from courses.models import SyllabusFile
from courses.uploads.operators import ReadFile, read_again, read_brought
from studyservice.http.requests import RequestKey
from studyservice.operations.errors import ApiError

MAY_READ = "courses.read_syllabusfile"
"""The permission to see the content of a file."""

BROUGHT = RequestKey[dict[str, ReadFile]]("brought")
"""The parsed files of a form, by field name."""


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
        ApiError: a file was rejected.
    """
    with ExitStack() as stack:
        sent: Iterable[tuple[str, Any]] = request.FILES.items() if request.method == "POST" else ()
        BROUGHT.set(request, {field: stack.enter_context(read_brought(file, file.name or "")) for field, file in sent})
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

    @admin.action(description="Read again", permissions=["read_again"])
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

    def has_read_again_permission(self, request: HttpRequest) -> bool:
        """The change permission includes reading a file again."""
        return bool(request.user.has_perm("courses.change_syllabusfile"))
