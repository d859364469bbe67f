from django.db import migrations

from studyservice.database.postgresql.operations import ValidateChecks


class Migration(migrations.Migration):

    dependencies = [
        ('courses', '0024_course_hue'),
    ]

    operations = [ValidateChecks('course')]
