"""The page of a syllabus that a model is reading, and the choice of whose proposal to show."""

from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from accounts.pages.uploads import with_headers
from courses.model_reading.readings import READING, RULES
from courses.pages.syllabus_forms import is_approval
from courses.uploads.serializers import SyllabusDetailRow

REFRESH: Final = 4
"""Seconds until the page looks again."""


def chosen_reader(request: HttpRequest) -> str | None:
    """The reader of the table that was sent or asked for: `rules`, or None for the model's if that is ready."""
    chosen = (request.POST if is_approval(request) else request.GET).get("reader")
    return RULES if chosen == RULES else None


def is_being_read(request: HttpRequest, upload: SyllabusDetailRow) -> bool:
    """Return whether to wait for the model."""
    reading = upload["model"]
    waits = reading is not None and reading["state"] == READING
    return waits and not is_approval(request) and chosen_reader(request) is None


def reading_page(request: HttpRequest, upload: SyllabusDetailRow, *, back: str) -> HttpResponse:
    """Say that the model is reading, and look again.

    Args:
        request: for the page of the table.
        upload: the file.
        back: the address to cancel to.
    """
    context = {"upload": upload, "back": back, "model_label": model_label(), "refresh": REFRESH}
    return with_headers(render(request, "courses/model_reading.html", context), {"Refresh": str(REFRESH)})


def model_label() -> str:
    """The model's name; of one that the operator has removed since, a general one."""
    return settings.SYLLABUS_MODEL.label if settings.SYLLABUS_MODEL else "the model"
