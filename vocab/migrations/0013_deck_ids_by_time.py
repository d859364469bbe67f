import studyservice.database.ids
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('vocab', '0001_initial'),
    ]

    # The database knows no default; SQLite would copy the whole table.
    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(
                    model_name='deck',
                    name='id',
                    field=models.UUIDField(default=studyservice.database.ids.uuid7, editable=False, primary_key=True, serialize=False),
                ),
            ],
        ),
    ]
