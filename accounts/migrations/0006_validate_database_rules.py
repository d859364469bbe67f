from django.db import migrations

from studyservice.database.postgresql.operations import ValidateChecks


class Migration(migrations.Migration):
    dependencies = [
        ('accounts', '0005_database_rules'),
    ]

    operations = [
        ValidateChecks('apikey'),
        ValidateChecks('member'),
    ]
