"""Weighted grade categories and their scores."""

import uuid
from decimal import Decimal
from typing import ClassVar

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils import timezone

from courses.models import Course, Item
from studyservice.database.constraints import at_least, between, characters
from studyservice.database.member_keys import MemberForeignKey, MemberKey
from studyservice.rows.rows import Rows


class GradeCategory(models.Model):
    """A weighted part of a course's grade."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False, help_text="The category's id.")
    member = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, db_index=False)
    course = models.ForeignKey(Course, models.CASCADE, related_name="grade_categories")
    name = models.CharField(max_length=60, help_text="The category's name.")
    weight = models.DecimalField(
        max_digits=7,
        decimal_places=4,
        validators=[MinValueValidator(0), MaxValueValidator(100)],
        help_text="Its weight.",
    )
    drop_lowest = models.SmallIntegerField(
        default=0,
        db_default=0,
        validators=[MinValueValidator(0), MaxValueValidator(20)],
        help_text="How many of its lowest scores do not count; at least one score always counts.",
    )
    position = models.PositiveIntegerField(help_text="Display order, from 1.")

    rows = Rows["GradeCategory"]()

    class Meta:
        verbose_name_plural = "grade categories"
        ordering: ClassVar[list[str]] = ["position"]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["member", "course", "position"], name="category_member_course")
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            MemberKey(),
            MemberForeignKey(field="course"),
            characters("name", 1, 60),
            between("weight", 0, 100),
            between("drop_lowest", 0, 20),
            at_least("position", 1),
        ]

    def __str__(self) -> str:
        return self.name


class GradeScore(models.Model):
    """A score, in percent, in one category."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False, help_text="The score's id.")
    member = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, db_index=False)
    category = models.ForeignKey(
        GradeCategory, models.CASCADE, related_name="scores", help_text="The category it counts in."
    )
    item = models.ForeignKey(
        Item,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="scores",
        help_text="The item that was graded, of the same course; null for none.",
    )
    label = models.CharField(max_length=120, help_text="What was graded.")
    score = models.DecimalField(
        max_digits=7, decimal_places=4, validators=[MinValueValidator(0), MaxValueValidator(150)], help_text="Percent."
    )
    points = models.DecimalField(
        max_digits=10,
        decimal_places=4,
        null=True,
        blank=True,
        validators=[MinValueValidator(0), MaxValueValidator(150_000)],
        help_text="The points it was given as; null if it was a percent.",
    )
    out_of = models.DecimalField(
        max_digits=10,
        decimal_places=4,
        null=True,
        blank=True,
        validators=[MinValueValidator(0), MaxValueValidator(100_000)],
        help_text="The points that there were; null if it was a percent.",
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False, help_text="When it was recorded.")

    rows = Rows["GradeScore"]()

    class Meta:
        ordering: ClassVar[list[str]] = ["created_at"]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["member", "category", "created_at"], name="score_member_category")
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            MemberForeignKey(field="category"),
            MemberForeignKey(field="item"),
            models.UniqueConstraint(
                fields=["member", "item"], name="gradescore_item", condition=models.Q(item__isnull=False)
            ),
            characters("label", 1, 120),
            between("score", 0, 150),
            between("points", 0, 150_000),
            between("out_of", Decimal("0.0001"), 100_000),
            models.CheckConstraint(
                condition=models.Q(points__isnull=True, out_of__isnull=True)
                | models.Q(points__isnull=False, out_of__isnull=False),
                name="gradescore_as_points",
            ),
        ]

    def __str__(self) -> str:
        return self.label
