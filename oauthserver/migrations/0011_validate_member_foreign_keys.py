from django.db import migrations

from studyservice.database.postgresql.operations import DropMemberReference, ValidateChecks


class Migration(migrations.Migration):
    atomic = False  # holds the locks of one table at a time

    dependencies = [
        ('oauthserver', '0010_member_foreign_keys'),
    ]

    operations = [
        ValidateChecks('refreshtoken'),
        DropMemberReference('refreshtoken', 'access_token', owner='user'),
    ]
