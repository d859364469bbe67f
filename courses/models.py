"""Courses, their syllabus files, and their dated items."""

import uuid
from typing import ClassVar

from django.conf import settings
from django.core.validators import MaxLengthValidator
from django.db import models, transaction
from django.db.models.signals import post_delete
from django.dispatch import receiver
from django.utils import timezone

from studyservice.database.constraints import at_least, characters, one_of
from studyservice.database.ids import uuid7

DEFAULT_TERM = "Fall semester"
MAX_SYLLABUS_CHARACTERS = 500_000


class Course(models.Model):
    """A course a member takes."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    member = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="courses", db_index=False)
    name = models.CharField(max_length=120)
    code = models.CharField(max_length=20, null=True, blank=True)
    term = models.CharField(max_length=60, default=DEFAULT_TERM)
    meets = models.CharField(max_length=120, null=True, blank=True)
    institution = models.CharField(max_length=120, null=True, blank=True)
    subject = models.CharField(max_length=80, null=True, blank=True)
    syllabus_text = models.TextField(null=True, blank=True, validators=[MaxLengthValidator(MAX_SYLLABUS_CHARACTERS)])
    item_count = models.PositiveSmallIntegerField(
        default=0, db_default=0, editable=False, help_text="How many items it has; kept by courses.item_counts."
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    updated_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering: ClassVar[list[str]] = ["created_at", "id"]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["member", "created_at", "id"], name="course_member_age")
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            characters("name", 1, 120),
            characters("code", 1, 20),
            characters("term", 1, 60),
            characters("meets", 1, 120),
            characters("institution", 1, 120),
            characters("subject", 1, 80),
            characters("syllabus_text", 1, MAX_SYLLABUS_CHARACTERS),
        ]

    def __str__(self) -> str:
        return self.name


def syllabus_path(file: "SyllabusFile", filename: str) -> str:
    """Where an uploaded file lies in storage: by course, under a name of our own; 81 of the field's 100 characters."""
    return f"syllabi/{file.course_id}/{file.id}"


class SyllabusFile(models.Model):
    """A file uploaded for a course; it leaves storage after the commit that removes its row."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    member = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE)
    course = models.ForeignKey(Course, models.CASCADE, related_name="syllabus_files")
    file = models.FileField(upload_to=syllabus_path)
    filename = models.CharField(max_length=255)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [characters("filename", 1, 255)]

    def __str__(self) -> str:
        return self.filename


@receiver(post_delete, sender=SyllabusFile)
def delete_stored_file(instance: SyllabusFile, using: str, **kwargs: object) -> None:
    """Remove the file from storage once the deletion is committed; a failure is logged and stops nothing."""

    def delete() -> None:  # named, because Django logs a failure by the function's name
        instance.file.storage.delete(str(instance.file.name))

    transaction.on_commit(delete, using=using, robust=True)


class ItemKind(models.TextChoices):
    """What a dated item is."""

    EXAM = "exam"
    QUIZ = "quiz"
    ASSIGNMENT = "assignment"
    LAB = "lab"
    PAPER = "paper"
    PROJECT = "project"
    OTHER = "other"


class Item(models.Model):
    """A dated course item; without a date it is undated."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    member = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, db_index=False)
    course = models.ForeignKey(Course, models.CASCADE, related_name="items", db_index=False)
    title = models.CharField(max_length=160)
    kind = models.CharField(max_length=16, choices=ItemKind, default=ItemKind.OTHER)
    due_on = models.DateField(null=True, blank=True)
    sequence = models.IntegerField(
        default=0,
        db_default=0,
        editable=False,
        help_text="Revisions of title, kind and date; calendars ask for it (courses.revisions).",
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    updated_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["member", "due_on", "created_at", "id"], name="item_member_due"),
            models.Index(fields=["member", "created_at"], name="item_member_age"),
            models.Index(fields=["course", "due_on", "created_at", "id"], name="item_course_due"),
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            characters("title", 1, 160),
            one_of("kind", ItemKind.values),
            at_least("sequence", 0),
        ]

    def __str__(self) -> str:
        return self.title
