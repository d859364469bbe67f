from django.db import migrations

from studyservice.database.online import ValidateConstraint


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0030_limits_changed'),
    ]

    operations = [ValidateConstraint('accountevent', name='accountevent_kind')]
