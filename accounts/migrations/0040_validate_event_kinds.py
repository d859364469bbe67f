from django.db import migrations

from studyservice.database.online import ValidateConstraint


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0039_event_kinds'),
    ]

    operations = [
        ValidateConstraint('invitation', name='invitation_name'),
        ValidateConstraint('invitation', name='invitation_time_zone'),
        ValidateConstraint('accountevent', name='accountevent_kind'),
    ]
