from django.db import migrations

from studyservice.database.postgresql.operations import DropMemberReference, ValidateChecks


class Migration(migrations.Migration):
    atomic = False  # holds the locks of one table at a time

    dependencies = [
        ('vocab', '0010_member_foreign_keys'),
    ]

    operations = [
        ValidateChecks('deck'),
        ValidateChecks('card'),
        ValidateChecks('review'),
        DropMemberReference('deck', 'course'),
        DropMemberReference('card', 'deck'),
        DropMemberReference('review', 'card'),
    ]
