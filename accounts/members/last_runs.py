"""When a command that is to run at times last came to its end, for those who watch the service."""

from datetime import datetime
from typing import ClassVar

from django.db import models
from django.utils import timezone

from studyservice.database.constraints import characters

PURGE = "purgeexpired"


class LastRun(models.Model):
    """The last run of a command; those before it are not kept."""

    name = models.CharField(max_length=40, primary_key=True)
    finished_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [characters("name", 1, 40)]

    def __str__(self) -> str:
        return f"{self.name}: {self.finished_at}"


def note_run(name: str) -> None:
    """The command has come to its end now."""
    LastRun.objects.update_or_create(name=name, defaults={"finished_at": timezone.now()})


def last_purge() -> datetime | None:
    """When `purgeexpired` last came to its end; None if it never did."""
    return LastRun.objects.filter(name=PURGE).values_list("finished_at", flat=True).first()
