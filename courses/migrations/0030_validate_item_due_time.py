from django.db import migrations

from studyservice.database.online import ValidateConstraint


class Migration(migrations.Migration):

    dependencies = [
        ('courses', '0029_item_due_time'),
    ]

    operations = [ValidateConstraint('item', name='item_due_time')]
