from django.db import migrations

from studyservice.database.online import ValidateConstraint


class Migration(migrations.Migration):

    dependencies = [
        ('planning', '0017_importedevent_due_time'),
    ]

    operations = [ValidateConstraint('importedevent', name='importedevent_due_time')]
