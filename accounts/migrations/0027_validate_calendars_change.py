from django.db import migrations

from studyservice.database.online import ValidateConstraint


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0026_calendars_change'),
    ]

    operations = [ValidateConstraint('change', name='change_by_kind')]
