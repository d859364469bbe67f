from django.db import migrations

from studyservice.database.online import ValidateConstraint


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0045_membership_events'),
    ]

    operations = [ValidateConstraint('accountevent', name='accountevent_kind')]
