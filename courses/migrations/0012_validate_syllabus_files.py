from django.db import migrations

from studyservice.database.postgresql.operations import ValidateChecks


class Migration(migrations.Migration):

    dependencies = [
        ('courses', '0011_describe_syllabus_files'),
    ]

    operations = [
        ValidateChecks('syllabusfile'),
    ]
