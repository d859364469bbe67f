from django.db import migrations

from studyservice.database.postgresql.operations import DropForeignKeyIndex


class Migration(migrations.Migration):
    atomic = False  # indexes are dropped while others write

    dependencies = [
        ('grades', '0005_validate_member_foreign_keys'),
    ]

    operations = [
        DropForeignKeyIndex('gradecategory', 'course'),
        DropForeignKeyIndex('gradescore', 'category'),
    ]
