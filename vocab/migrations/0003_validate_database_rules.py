from django.db import migrations

from studyservice.database.postgresql.operations import ValidateChecks, ValidateMemberReference


class Migration(migrations.Migration):
    dependencies = [
        ('vocab', '0002_database_rules'),
    ]

    operations = [
        ValidateChecks('card'),
        ValidateChecks('deck'),
        ValidateChecks('retentiongoal'),
        ValidateChecks('review'),
        ValidateMemberReference('deck', 'course'),
        ValidateMemberReference('card', 'deck'),
        ValidateMemberReference('review', 'card'),
    ]
