from django.db import migrations

from studyservice.database.postgresql.operations import DropMemberReference, ValidateChecks


class Migration(migrations.Migration):
    atomic = False  # holds the locks of one table at a time

    dependencies = [
        ('planning', '0008_member_foreign_keys'),
    ]

    operations = [
        ValidateChecks('milestone'),
        ValidateChecks('importedevent'),
        DropMemberReference('milestone', 'item'),
        DropMemberReference('importedevent', 'course'),
    ]
