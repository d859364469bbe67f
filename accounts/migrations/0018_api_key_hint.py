from django.db import migrations, models

from studyservice.database.postgresql.operations import AddIndexAside


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('accounts', '0017_second_factor'),
    ]

    operations = [
        AddIndexAside(
            model_name='apikey',
            index=models.Index(fields=['hint'], name='apikey_hint', opclasses=['varchar_pattern_ops']),
        ),
    ]
