from django.db import migrations

from studyservice.database.online import ValidateConstraint


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0043_identity_events'),
    ]

    operations = [ValidateConstraint('accountevent', name='accountevent_kind')]
