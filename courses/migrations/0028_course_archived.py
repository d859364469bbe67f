from django.db import migrations, models

ITEM_COUNT = migrations.AddField(
    "course", "item_count", models.SmallIntegerField(default=0, db_default=0, editable=False)
)
ARCHIVED = migrations.AddField(
    "course",
    "archived",
    models.BooleanField(
        default=False, db_default=False, help_text="Whether the course has ended; the agenda leaves it out."
    ),
)


class Migration(migrations.Migration):
    # SQLite copies the table. The copy needs the column that the model no longer has (0027_count_items).

    dependencies = [("courses", "0027_count_items")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.SeparateDatabaseAndState(state_operations=[ITEM_COUNT]), ARCHIVED],
            state_operations=[ARCHIVED],
        )
    ]
