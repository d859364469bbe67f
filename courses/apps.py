"""The courses app."""

from typing import ClassVar

from django.apps import AppConfig


class CoursesConfig(AppConfig):
    """Courses, syllabi and dated items."""

    name = "courses"
    headings: ClassVar[dict[str, str]] = {
        "Courses": "Courses and their syllabus text.",
        "Syllabi": "Files of syllabi, and the course, items and weights that they propose.",
        "Items": "Exams, quizzes, assignments, labs, papers, projects: what is due when.",
    }

    def ready(self) -> None:
        """Register the hooks of lower apps."""
        from accounts.credentials.limiting import COURSE_NAMES
        from accounts.erasure.erasing import EXPIRED_DATA
        from courses.courses import course_names
        from courses.uploads.purging import purge_stray_files, purge_uploads

        COURSE_NAMES.register(course_names)
        EXPIRED_DATA.register("uploads", purge_uploads)
        EXPIRED_DATA.register("files_without_a_row", purge_stray_files)
