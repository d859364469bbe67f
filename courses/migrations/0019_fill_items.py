"""Fill what the new columns of old rows hold, in batches, while others write."""

from collections.abc import Mapping
from datetime import date
from typing import Any
from zoneinfo import ZoneInfo

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.utils import timezone

import studyservice.database.postgresql.operations
from studyservice.database.filling import fill_columns
from studyservice.database.folding import fold_all


def fill(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    """Fold the texts that are searched, and let no old item be missed that was due before its member's today."""
    alias = editor.connection.alias
    courses = apps.get_model("courses", "Course")
    items = apps.get_model("courses", "Item")
    fill_columns(courses.objects.using(alias), ("name",), lambda row: {"folded": fold_all([row["name"]])})
    todays: dict[str, date] = {}

    def of_item(row: Mapping[str, Any]) -> dict[str, Any]:
        zone = row["member__time_zone"]
        today = todays.setdefault(zone, timezone.localdate(timezone=ZoneInfo(zone)))
        return {"folded": fold_all([row["title"], row["note"]]), "missable_from": today}

    fill_columns(items.objects.using(alias), ("title", "note", "member__time_zone"), of_item)


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('courses', '0018_course_folded'),
        ('accounts', '0023_reviews_in_changes'),
    ]

    operations = [
        studyservice.database.postgresql.operations.AddIndexAside(
            model_name='item',
            index=models.Index(condition=models.Q(('category__isnull', False)), fields=['member', 'category'], name='item_member_category'),
        ),
        studyservice.database.postgresql.operations.ValidateChecks('item'),
        migrations.RunPython(fill, migrations.RunPython.noop, elidable=True),
    ]
