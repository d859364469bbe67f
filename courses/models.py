"""Courses, their syllabus files, and their dated items."""

import uuid
from typing import ClassVar

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator, MaxValueValidator, MinValueValidator
from django.db import models, transaction
from django.db.models import F, Func, Value
from django.db.models.fields.files import FieldFile
from django.db.models.functions import NullIf
from django.db.models.signals import post_delete
from django.dispatch import receiver
from django.utils import timezone

from courses.syllabi.reading.files import TextStatus
from courses.syllabi.reading.lines import MAX_PAGES
from studyservice.database.constraints import at_least, between, characters, one_of, together
from studyservice.database.ids import uuid7
from studyservice.database.member_keys import MemberForeignKey, MemberKey
from studyservice.database.times import END_OF_DAY, TimeOfDayField, time_of_day
from studyservice.rows.rows import Rows
from studyservice.rows.seen import Masked

UNSENT = uuid.UUID(int=0)
"""The sender of an upload not sent by a limited credential."""

DEFAULT_TERM = "Fall semester"
MAX_SYLLABUS_CHARACTERS = 500_000
MAX_NOTE = 2000
HUES = 12
"""Number of course colors. `pages.css` has a class for each."""

SYLLABUS_FOLDER = "syllabi"
"""The folder in storage."""


class HiddenBooleanField(Masked, models.BooleanField):  # type: ignore[type-arg]  # not generic when it runs
    """A field that reveals grades."""


class HiddenDateTimeField(Masked, models.DateTimeField):  # type: ignore[type-arg]  # not generic when it runs
    """A field that reveals grades."""


class HiddenForeignKey(Masked, models.ForeignKey):  # type: ignore[type-arg]  # likewise
    """A reference that reveals grades."""


class Course(models.Model):
    """A course a member takes."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False, help_text="The course's id.")
    member = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="courses", db_index=False)
    name = models.CharField(max_length=120, help_text="The course's name.")
    code = models.CharField(max_length=20, null=True, blank=True, help_text="Course number.")
    term = models.CharField(max_length=60, default=DEFAULT_TERM, help_text="When the course runs.")
    meets = models.CharField(max_length=120, null=True, blank=True, help_text="When the class meets.")
    institution = models.CharField(max_length=120, null=True, blank=True, help_text="School or university.")
    subject = models.CharField(max_length=80, null=True, blank=True, help_text="Field of study.")
    syllabus_text = models.TextField(
        null=True,
        blank=True,
        validators=[MaxLengthValidator(MAX_SYLLABUS_CHARACTERS)],
        help_text=f"The whole text of the syllabus, up to {MAX_SYLLABUS_CHARACTERS:,} characters.",
    )
    folded = models.TextField(
        default="", db_default="", editable=False, help_text="The name as it is searched (courses.item_rows)."
    )
    archived = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Whether the course has ended; the agenda leaves it out.",
    )
    hue = models.PositiveSmallIntegerField(
        null=True,
        editable=False,
        validators=[MinValueValidator(0), MaxValueValidator(HUES - 1)],
        help_text="Its color on pages; null means the one derived from its id (courses.colors).",
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False, help_text="When the course was created.")
    updated_at = models.DateTimeField(
        default=timezone.now, editable=False, help_text="When the course was last changed."
    )

    rows = Rows["Course"]()

    class Meta:
        ordering: ClassVar[list[str]] = ["created_at", "id"]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["member", "created_at", "id"], name="course_member_age")
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            MemberKey(),
            characters("name", 1, 120),
            characters("code", 1, 20),
            characters("term", 1, 60),
            characters("meets", 1, 120),
            characters("institution", 1, 120),
            characters("subject", 1, 80),
            characters("syllabus_text", 1, MAX_SYLLABUS_CHARACTERS),
            between("hue", 0, HUES - 1),
        ]

    def __str__(self) -> str:
        return self.name


def syllabus_path(file: "SyllabusFile", filename: str) -> str:
    """The path of a file in storage, with a random name: 48 of the field's 100 characters."""
    return f"{SYLLABUS_FOLDER}/{file.id.hex[:2]}/{file.id}"


class StoredFile(FieldFile):
    """A stored file, whose URL is a page of the admin, independent of the storage."""

    @property
    def url(self) -> str:
        """The storage's own URL is never used: it would bypass permissions and the log."""
        return f"{settings.MEDIA_URL}{self.name}"


class StoredFileField(models.FileField):
    """A `StoredFile`."""

    attr_class = StoredFile


class SyllabusFile(models.Model):
    """A syllabus file uploaded by its member. It is removed from storage after the commit that deletes its row.

    At first it belongs to no course, and it expires unless it is attached to one.
    """

    id = models.UUIDField(
        primary_key=True,
        default=uuid.uuid4,
        editable=False,
        help_text="The file's id; create_course and update_course take it as syllabus_id.",
    )
    # One index each: all files of a member are summed and exported, and files of one of 30 courses are listed.
    member = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE)
    course = models.ForeignKey(
        Course,
        models.CASCADE,
        related_name="syllabus_files",
        null=True,
        blank=True,
        help_text="The course it is attached to; null for none yet.",
    )
    compared_with_id = models.UUIDField(
        null=True, blank=True, editable=False, help_text="The course that its proposal is compared with; may be gone."
    )
    file = StoredFileField(upload_to=syllabus_path)
    filename = models.CharField(max_length=255, help_text="Its name, without a path.")
    media_type = models.CharField(max_length=100, help_text="Its type, by its content.")
    size = models.PositiveIntegerField(help_text="Its bytes.")
    sha256 = models.CharField(max_length=64, help_text="Of its bytes, in hexadecimal.")
    text_status = models.CharField(
        max_length=16,
        choices=[(one.value, one.value) for one in TextStatus],
        help_text="read; no_text: it has none, as a scan; too_large: over 100 pages or 500,000 characters; "
        "unreadable: encrypted, broken, or too much work to read.",
    )
    text = models.TextField(null=True, blank=True)
    characters = models.PositiveIntegerField(default=0, help_text="Characters of its text; 0 where none was read.")
    pages = models.PositiveSmallIntegerField(null=True, blank=True, help_text="Pages of a PDF that was read.")
    created_at = models.DateTimeField(default=timezone.now, editable=False, help_text="When it was uploaded.")
    expires_at = models.DateTimeField(
        null=True,
        blank=True,
        editable=False,
        help_text="When it goes, 24 hours after the upload; null once it is attached to a course.",
    )

    sent_by = models.UUIDField(
        default=UNSENT,
        db_default=UNSENT,
        editable=False,
        help_text="The credential that sent it, if that is limited to courses: others like it do not see the file.",
    )
    model_state = models.CharField(
        max_length=8,
        default="",
        db_default="",
        editable=False,
        help_text="Its reading by a language model: reading, ready or failed; empty if none was asked for.",
    )
    model_asked_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="When that reading was asked for."
    )
    model_error = models.CharField(
        max_length=200, default="", db_default="", editable=False, help_text="Why that reading failed."
    )
    model_answer = models.TextField(
        default="", db_default="", editable=False, help_text="The rows that the model named, as JSON."
    )

    rows = Rows["SyllabusFile"]()

    class Meta:
        permissions = (("read_syllabusfile", "Can read what is in a syllabus file"),)
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["expires_at"], name="syllabusfile_expiry", condition=models.Q(course=None))
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            MemberForeignKey(field="course"),
            models.UniqueConstraint(
                fields=["member", "sha256", "sent_by"], name="syllabusfile_sent", condition=models.Q(course=None)
            ),
            models.CheckConstraint(
                name="%(class)s_expires_at",
                condition=models.Q(course=None, expires_at__isnull=False)
                | models.Q(course__isnull=False, expires_at=None),
            ),
            characters("filename", 1, 255),
            characters("media_type", 1, 100),
            at_least("size", 0),
            characters("sha256", 64, 64),
            one_of("text_status", [one.value for one in TextStatus]),
            characters("text", 1, MAX_SYLLABUS_CHARACTERS),
            between("characters", 0, MAX_SYLLABUS_CHARACTERS),
            between("pages", 0, MAX_PAGES),
        ]

    def __str__(self) -> str:
        return self.filename


@receiver(post_delete, sender=SyllabusFile)
def delete_stored_file(instance: SyllabusFile, using: str, **kwargs: object) -> None:
    """Remove the file from storage after the commit. A failure is logged and does not affect the deletion."""

    def delete() -> None:  # a named function, because Django logs its name on failure
        instance.file.storage.delete(str(instance.file.name))

    transaction.on_commit(delete, using=using, robust=True)


class ItemKind(models.TextChoices):
    """The kind of a dated item."""

    EXAM = "exam"
    QUIZ = "quiz"
    ASSIGNMENT = "assignment"
    LAB = "lab"
    PAPER = "paper"
    PROJECT = "project"
    OTHER = "other"


class ItemStatus(models.TextChoices):
    """The state of an item, determined by `courses.item_rows`."""

    GRADED = "graded"
    DONE = "done"
    OPEN = "open"
    PAST = "past"
    MISSED = "missed"


class Item(models.Model):
    """A course item with or without a date."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False, help_text="The item's id.")
    member = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, db_index=False)
    course = models.ForeignKey(
        Course, models.CASCADE, related_name="items", db_index=False, help_text="The item's course."
    )
    title = models.CharField(max_length=160, help_text="What is due.")
    kind = models.CharField(
        max_length=16, choices=ItemKind, default=ItemKind.OTHER, help_text="What sort of item it is."
    )
    due_on = models.DateField(null=True, blank=True, help_text="Due date; null means undated.")
    due_time = TimeOfDayField(
        null=True, blank=True, help_text="HH:MM on the member's clock; null means by the end of the day."
    )
    done = HiddenBooleanField(
        default=False, db_default=False, help_text="Whether the member has done it or handed it in."
    )
    done_at = HiddenDateTimeField(
        null=True, blank=True, editable=False, help_text="When it was marked as done; null while it is not."
    )
    category = HiddenForeignKey(
        "grades.GradeCategory",
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="items",
        help_text="The grade category it counts in, of the same course; null for none.",
    )
    note = models.CharField(max_length=MAX_NOTE, null=True, blank=True, help_text="What else to know about it.")
    missable_from = models.DateField(
        default=timezone.localdate,
        db_default=Func(template="CURRENT_DATE", output_field=models.DateField()),
        editable=False,
        help_text="The member's date when it was made; what was due before is never missed.",
    )
    graded = HiddenBooleanField(
        default=False, db_default=False, editable=False, help_text="Whether a score names it; kept by grades.marks."
    )
    marked_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="When a score last came to it or left it."
    )
    folded = models.TextField(
        default="", db_default="", editable=False, help_text="Title and note as they are searched (courses.item_rows)."
    )
    time_in_order = models.CharField(
        max_length=5,
        default=END_OF_DAY,
        db_default=END_OF_DAY,
        editable=False,
        help_text="Its time as it is sorted, which is never null (courses.item_rows).",
    )
    sequence = models.IntegerField(
        default=0,
        db_default=0,
        editable=False,
        help_text="Counts changes that calendar apps must see (SEQUENCE).",
    )
    created_at = models.DateTimeField(
        default=timezone.now, editable=False, help_text="When the item was added; for polling."
    )
    updated_at = models.DateTimeField(default=timezone.now, editable=False, help_text="When the item was last changed.")

    rows = Rows["Item"]()

    class Meta:
        indexes: ClassVar[list[models.Index]] = [
            models.Index(  # the course, so that a limited credential skips others without reading their rows
                F("member"),
                F("due_on"),
                F("time_in_order"),
                F("created_at"),
                F("id"),
                NullIf("course", Value(uuid.UUID(int=0))),  # AS_EXPRESSION
                name="item_member_due_times",
            ),
            models.Index(fields=["member", "created_at"], name="item_member_age"),
            models.Index(fields=["course", "due_on", "created_at", "id"], name="item_course_due"),  # in this order
            models.Index(
                fields=["member", "category"], name="item_member_category", condition=models.Q(category__isnull=False)
            ),
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            MemberKey(),
            MemberForeignKey(field="course"),
            MemberForeignKey(field="category"),
            characters("title", 1, 160),
            one_of("kind", ItemKind.values),
            time_of_day("due_time", day="due_on", in_order="time_in_order"),
            together("done", "done_at"),
            characters("note", 1, MAX_NOTE),
            at_least("sequence", 0),
        ]

    def __str__(self) -> str:
        return self.title

    def clean(self) -> None:
        """Require a date with a time.

        Raises:
            ValidationError: there is none.
        """
        if self.due_time is not None and self.due_on is None:
            raise ValidationError({"due_time": "A time needs a date."})
