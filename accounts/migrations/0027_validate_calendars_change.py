from django.db import migrations

from studyservice.database.postgresql.operations import ValidateChecks


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0026_calendars_change'),
    ]

    operations = [ValidateChecks('change')]
