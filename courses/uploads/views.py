"""Operations on syllabus files."""

from http import HTTPStatus
from uuid import UUID

from accounts.api.viewsets import MemberViewSet
from courses.uploads import files, rows, uploading
from courses.uploads.serializers import (
    SyllabusBody,
    SyllabusDetailRow,
    SyllabusQuery,
    SyllabusRow,
)
from studyservice.operations.answers import DownloadRow
from studyservice.operations.declaration import Scope, operation
from studyservice.operations.serializers import DeletedRow, Page, page
from studyservice.operations.uploads import Upload


class SyllabusViewSet(MemberViewSet):
    """The files of a member's syllabi."""

    tag = "Syllabi"

    @operation(
        "Upload a syllabus",
        scope=Scope.WRITE,
        answer=SyllabusDetailRow,
        status=HTTPStatus.CREATED,
        other_status=HTTPStatus.OK,
        body=SyllabusBody,
        long_body=True,
        upload=Upload(rows.MAX_BYTES, fields=("course_id", "reader")),
        counted=True,
        tool=False,
        still_seen=files.syllabus_still_seen,
    )
    def create_syllabus(self) -> SyllabusDetailRow:
        """Upload a PDF, DOCX, ODT, HTML, Markdown or plain text file, or send its text: answers what it proposes, with
        the line of each item. It goes after 24 hours unless create_course or update_course takes it as syllabus_id.

        Upload a syllabus to get a proposal: deadlines and grade weights, each with its line. Nothing is added to a
        course yet. To accept, send the checked items to create_course with the syllabus_id.
        """
        file = None if "text" in self.body else self.upload
        answer, is_new = uploading.create_syllabus(self.access, file, **self.body)
        if not is_new:
            self.status = HTTPStatus.OK
        return answer

    @operation("Get a syllabus", scope=Scope.READ, answer=SyllabusDetailRow, query=SyllabusQuery, tool=False)
    def get_syllabus(self, syllabus_id: UUID) -> SyllabusDetailRow:
        """An uploaded file with what it proposes, compared with its course or with course_id, and its text if
        include_text is true; of a long one syllabus_from and syllabus_limit give a part.

        Read the proposal again. For a course that already has items, it is a comparison: new, moved and missing
        deadlines.
        """
        return files.get_syllabus(self.access, syllabus_id, **self.query)

    @operation("Download a syllabus", scope=Scope.READ, answer=DownloadRow, downloads=(files.MEDIA_TYPE,), tool=False)
    def get_syllabus_file(self, syllabus_id: UUID) -> DownloadRow:
        """The file as it was uploaded, under its name.

        Download the original file.
        """
        return files.get_syllabus_file(self.access, syllabus_id)

    @operation("List the syllabi of a course", scope=Scope.READ, answer=SyllabusRow, many=True, tool=False)
    def list_syllabi(self, course_id: UUID) -> Page[SyllabusRow]:
        """The files of a course, at most ten, newest first, in one page and without proposals.

        See the versions of a course's syllabus, newest first. Read one with get_syllabus to see its proposal.
        """
        return page(files.list_syllabi(self.access, course_id))

    @operation("Delete a syllabus", scope=Scope.WRITE, answer=DeletedRow, consequential=True, tool=False)
    def delete_syllabus(self, syllabus_id: UUID) -> DeletedRow:
        """Permanently delete an uploaded file; its course keeps the text. It cannot be undone.

        Only the file is deleted. The course keeps its items and the syllabus text. A deleted file cannot be
        restored.
        """
        return files.delete_syllabus(self.access, syllabus_id)
