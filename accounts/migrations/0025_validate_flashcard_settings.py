from django.db import migrations

from studyservice.database.postgresql.operations import ValidateChecks


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0024_flashcard_settings'),
    ]

    operations = [ValidateChecks('member')]
