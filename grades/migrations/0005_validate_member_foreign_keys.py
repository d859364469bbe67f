from django.db import migrations

from studyservice.database.postgresql.operations import DropMemberReference, ValidateChecks


class Migration(migrations.Migration):
    dependencies = [
        ('grades', '0004_member_foreign_keys'),
    ]

    operations = [
        ValidateChecks('gradecategory'),
        ValidateChecks('gradescore'),
        DropMemberReference('gradecategory', 'course'),
        DropMemberReference('gradescore', 'category'),
    ]
