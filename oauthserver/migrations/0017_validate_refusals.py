from django.db import migrations

from studyservice.database.postgresql.operations import ValidateChecks


class Migration(migrations.Migration):

    dependencies = [
        ('oauthserver', '0016_refusals_by_limits'),
    ]

    operations = [ValidateChecks('grant')]
