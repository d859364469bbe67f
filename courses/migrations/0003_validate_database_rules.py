from django.db import migrations

from studyservice.database.postgresql.operations import ValidateChecks, ValidateMemberReference


class Migration(migrations.Migration):
    dependencies = [
        ('courses', '0002_database_rules'),
    ]

    operations = [
        ValidateChecks('course'),
        ValidateChecks('item'),
        ValidateChecks('syllabusfile'),
        ValidateMemberReference('syllabusfile', 'course'),
        ValidateMemberReference('item', 'course'),
    ]
