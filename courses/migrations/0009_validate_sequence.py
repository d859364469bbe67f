from django.db import migrations

from studyservice.database.postgresql.operations import ValidateChecks


class Migration(migrations.Migration):

    dependencies = [
        ('courses', '0008_sequence'),
    ]

    operations = [
        ValidateChecks('item'),
    ]
