from django.db import migrations


class Migration(migrations.Migration):
    # The column stays in the table, for the version before, until a later release.

    dependencies = [
        ('courses', '0026_syllabus_model_reading'),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[migrations.RemoveField(model_name='course', name='item_count')],
        ),
    ]
