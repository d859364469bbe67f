from django.db import migrations

from studyservice.database.postgresql.operations import DropMemberReference, ValidateChecks


class Migration(migrations.Migration):
    atomic = False  # holds the locks of one table at a time

    dependencies = [
        ('grades', '0004_member_foreign_keys'),
    ]

    operations = [
        ValidateChecks('gradecategory'),
        ValidateChecks('gradescore'),
        DropMemberReference('gradecategory', 'course'),
        DropMemberReference('gradescore', 'category'),
    ]
