"""Courses, syllabi and items in the admin.

Saving and deleting use the functions of the API's operations, with the same rules.
"""

from typing import TYPE_CHECKING, Any, ClassVar

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.urls import URLPattern, path

from accounts.operators.base import StudyDataAdmin
from courses import courses, items
from courses.item_batches import create_item
from courses.models import Course, Item, SyllabusFile
from courses.serializers import CourseBody, PlainItemBody
from courses.syllabus_admin import BROUGHT, SyllabusFileInline, add_to_course, files_read, syllabus_file
from studyservice.rows.access import Access
from studyservice.rows.access import change as logged_change

if TYPE_CHECKING:
    _CourseForm = forms.ModelForm[Course]
else:
    _CourseForm = forms.ModelForm


class CourseForm(_CourseForm):
    """A course with its syllabus text."""

    class Meta:
        model = Course
        fields = ("member", *CourseBody.Meta.fields)

    def clean_syllabus_text(self) -> str | None:
        """Reject text that is empty after trimming."""
        return self.cleaned_data["syllabus_text"] or None


@admin.register(Course)
class CourseAdmin(StudyDataAdmin):
    """Courses, with their syllabus text and files."""

    form = CourseForm
    list_display = ("name", "code", "term", "archived", "member", "created_at")
    list_select_related = ("member",)
    ordering = ("member_id", "created_at", "id")
    autocomplete_fields = ("member",)
    readonly_fields: ClassVar[tuple[str, ...]] = ("created_at", "updated_at")
    inlines = (SyllabusFileInline,)
    unread = ("syllabus_text",)
    update = staticmethod(courses.update_course)
    delete = staticmethod(courses.delete_course)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """The member of a course cannot change, and a new course has not ended."""
        return ("archived" if obj is None else "member", *self.readonly_fields)

    def get_urls(self) -> list[URLPattern]:
        """Add the URL that deletes uploaded files."""
        files = path("syllabi/<str:folder>/<uuid:file_id>", self.admin_site.admin_view(syllabus_file))
        return [files, *super().get_urls()]

    def save_model(self, request: HttpRequest, obj: Course, form: Any, change: bool) -> None:
        """Create the course like create_course, or change it."""
        if change:
            return super().save_model(request, obj, form, change)
        fields = dict(form.cleaned_data)
        obj.id = courses.create_course(Access(fields.pop("member")), **fields)["id"]
        return None

    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Open the form after reading its files, which takes time, so that no transaction is open meanwhile."""
        return self._told(request, self._changeform_with_files, *args, **kwargs)

    def _changeform_with_files(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        if not (self.has_change_permission(request) or self.has_add_permission(request)):
            raise PermissionDenied
        with files_read(request):
            return super().changeform_view(request, *args, **kwargs)

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        """Store new files for the course's member, and remove the selected ones."""
        course: Course = form.instance
        formset.save(commit=False)
        added = [form.add_prefix("file") for form in formset.extra_forms if form.has_changed()]
        if not added and not formset.deleted_objects:
            return
        brought = BROUGHT.require(request)
        access = Access(course.member)
        with logged_change(access, "change_syllabus_files") as log:
            log.cannot_be_undone()
            SyllabusFile.rows.of(access).delete(*(file.id for file in formset.deleted_objects))
            for field in added:
                add_to_course(access, course.id, brought[field])


@admin.register(Item)
class ItemAdmin(StudyDataAdmin):
    """Dated items."""

    text_path = "title"
    list_display = ("title", "kind", "due_on", "due_time", "course", "member", "created_at")
    list_select_related = ("course", "member")
    list_filter = ("kind",)
    ordering = ("member_id", "due_on", "time_in_order", "created_at", "id")
    raw_id_fields = ("course", "category")
    unread = ("course__syllabus_text",)
    update = staticmethod(items.update_item)
    delete = staticmethod(items.delete_item)
    fields = (
        "course",
        *(name.removesuffix("_id") for name in PlainItemBody.Meta.fields),
        "done",
        "done_at",
        "member",
        "created_at",
        "updated_at",
    )
    readonly_fields: ClassVar[tuple[str, ...]] = ("done_at", "member", "created_at", "updated_at")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """The course of an item cannot change, and a new item is not done."""
        return ("done", *self.readonly_fields) if obj is None else ("course", *self.readonly_fields)

    def save_model(self, request: HttpRequest, obj: Item, form: Any, change: bool) -> None:
        """Create the item like create_item, for the course's member, or change it."""
        if change:
            return super().save_model(request, obj, form, change)
        fields = dict(form.cleaned_data)
        course, category = fields.pop("course"), fields.pop("category")
        obj.member = course.member
        obj.id = create_item(Access(course.member), course.id, category_id=category and category.pk, **fields)[0]["id"]
        return None
