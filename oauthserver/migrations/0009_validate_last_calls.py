from django.db import migrations

from studyservice.database.postgresql.operations import ValidateChecks


class Migration(migrations.Migration):

    dependencies = [
        ('oauthserver', '0008_last_calls'),
    ]

    operations = [
        ValidateChecks('grant'),
    ]
