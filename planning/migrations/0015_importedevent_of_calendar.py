"""The key of a remembered event includes the calendar. Built while others write; the old key goes in the next one."""

import uuid

import django.db.models.functions.comparison
from django.db import migrations, models

from studyservice.database.online import AddUniqueConcurrently


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('planning', '0014_school_calendars'),
    ]

    operations = [
        AddUniqueConcurrently(
            model_name='importedevent',
            constraint=models.UniqueConstraint(models.F('member'), models.F('course'), models.F('uid'), models.F('instance'), django.db.models.functions.comparison.Coalesce('calendar_id', models.Value(uuid.UUID('00000000-0000-0000-0000-000000000000'), models.UUIDField())), name='importedevent_of_calendar'),
        ),
    ]
