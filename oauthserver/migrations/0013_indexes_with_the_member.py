from django.db import migrations

from studyservice.database.postgresql.operations import DropForeignKeyIndex


class Migration(migrations.Migration):
    atomic = False  # indexes are dropped while others write

    dependencies = [
        ('oauthserver', '0012_secret_owners'),
    ]

    operations = [
        DropForeignKeyIndex('accesstoken', 'user'),
    ]
