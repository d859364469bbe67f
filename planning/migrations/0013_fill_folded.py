"""Fold the titles of the milestones that exist, in batches, while others write."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from studyservice.database.filling import fill_columns
from studyservice.database.folding import fold_all


def fill(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    """Fold the titles, which list_items searches."""
    milestones = apps.get_model("planning", "Milestone").objects.using(editor.connection.alias)
    fill_columns(milestones, ("title",), lambda row: {"folded": fold_all([row["title"]])})


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('planning', '0012_milestone_folded'),
    ]

    operations = [
        migrations.RunPython(fill, migrations.RunPython.noop, elidable=True),
    ]
