from django.db import migrations

from studyservice.database.postgresql.operations import ValidateChecks


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0033_api_key_refusals'),
    ]

    operations = [ValidateChecks('apikey')]
