from django.db import migrations

from studyservice.database.postgresql.operations import ValidateChecks


class Migration(migrations.Migration):

    dependencies = [
        ('practice', '0008_foretold_sums'),
    ]

    operations = [ValidateChecks('attempt')]
