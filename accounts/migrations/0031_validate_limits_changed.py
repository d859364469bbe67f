from django.db import migrations

from studyservice.database.postgresql.operations import ValidateChecks


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0030_limits_changed'),
    ]

    operations = [ValidateChecks('accountevent')]
