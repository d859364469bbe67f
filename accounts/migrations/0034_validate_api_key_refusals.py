from django.db import migrations

from studyservice.database.online import ValidateConstraint


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0033_api_key_refusals'),
    ]

    operations = [ValidateConstraint('apikey', name='apikey_refusal')]
