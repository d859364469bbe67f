from django.db import migrations

from studyservice.database.postgresql.operations import ValidateChecks, ValidateMemberReference


class Migration(migrations.Migration):
    dependencies = [
        ('planning', '0002_database_rules'),
    ]

    operations = [
        ValidateChecks('milestone'),
        ValidateMemberReference('milestone', 'item'),
    ]
