from django.db import migrations

from studyservice.database.postgresql.operations import ValidateChecks


class Migration(migrations.Migration):
    dependencies = [
        ('accounts', '0009_desired_retention'),
    ]

    operations = [
        ValidateChecks('member'),
    ]
