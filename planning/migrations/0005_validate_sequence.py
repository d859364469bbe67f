from django.db import migrations

from studyservice.database.postgresql.operations import ValidateChecks


class Migration(migrations.Migration):

    dependencies = [
        ('planning', '0004_sequence'),
    ]

    operations = [
        ValidateChecks('milestone'),
    ]
