from django.db import migrations, models


class Migration(migrations.Migration):
    # The column stays in the table until a later release, because version 0.6.0 writes it while `migrate` runs. It may
    # be negative by then: that version subtracts items that it did not add.

    dependencies = [
        ('courses', '0026_syllabus_model_reading'),
    ]

    operations = [
        migrations.AlterField(
            model_name='course',
            name='item_count',
            field=models.SmallIntegerField(default=0, db_default=0, editable=False),
        ),
        migrations.SeparateDatabaseAndState(
            state_operations=[migrations.RemoveField(model_name='course', name='item_count')],
        ),
    ]
