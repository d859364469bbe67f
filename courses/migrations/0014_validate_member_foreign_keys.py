from django.db import migrations

from studyservice.database.postgresql.operations import DropMemberReference, ValidateChecks


class Migration(migrations.Migration):
    atomic = False  # holds the locks of one table at a time

    dependencies = [
        ('courses', '0013_member_foreign_keys'),
    ]

    operations = [
        ValidateChecks('syllabusfile'),
        ValidateChecks('item'),
        DropMemberReference('syllabusfile', 'course'),
        DropMemberReference('item', 'course'),
    ]
