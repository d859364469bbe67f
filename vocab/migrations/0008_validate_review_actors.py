from django.db import migrations

from studyservice.database.postgresql.operations import ValidateChecks


class Migration(migrations.Migration):
    dependencies = [
        ('vocab', '0007_review_actors'),
    ]

    operations = [
        ValidateChecks('review'),
    ]
