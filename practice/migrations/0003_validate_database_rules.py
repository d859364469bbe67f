from django.db import migrations

from studyservice.database.postgresql.operations import ValidateChecks


class Migration(migrations.Migration):
    dependencies = [
        ('practice', '0002_database_rules'),
    ]

    operations = [
        ValidateChecks('attempt'),
    ]
