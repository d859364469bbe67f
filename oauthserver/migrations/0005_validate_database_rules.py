from django.db import migrations

from studyservice.database.postgresql.operations import ValidateChecks, ValidateMemberReference


class Migration(migrations.Migration):
    dependencies = [
        ('oauthserver', '0004_database_rules'),
    ]

    operations = [
        ValidateChecks('application'),
        ValidateChecks('grant'),
        ValidateMemberReference('refreshtoken', 'access_token'),
    ]
