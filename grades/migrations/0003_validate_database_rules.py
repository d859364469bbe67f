from django.db import migrations

from studyservice.database.postgresql.operations import ValidateChecks, ValidateMemberReference


class Migration(migrations.Migration):
    dependencies = [
        ('grades', '0002_database_rules'),
    ]

    operations = [
        ValidateChecks('gradecategory'),
        ValidateChecks('gradescore'),
        ValidateMemberReference('gradecategory', 'course'),
        ValidateMemberReference('gradescore', 'category'),
    ]
