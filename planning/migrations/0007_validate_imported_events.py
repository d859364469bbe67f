from django.db import migrations

from studyservice.database.postgresql.operations import ValidateMemberReference


class Migration(migrations.Migration):

    dependencies = [
        ('planning', '0006_imported_events'),
    ]

    operations = [
        ValidateMemberReference('importedevent', 'course'),
    ]
