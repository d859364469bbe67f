from django.db import migrations, models
from django.db.models.functions import Length
from django.db.models.lookups import Range

from studyservice.database.online import AddConstraintNotValid


class Migration(migrations.Migration):

    dependencies = [
        ('planning', '0016_drop_importedevent_of_course'),
    ]

    operations = [
        migrations.AddField(
            model_name='importedevent',
            name='due_time',
            field=models.CharField(blank=True, db_default='', default='', help_text='HH:MM; null of an all-day event; empty if unknown, as of one imported before times were kept.', max_length=5, null=True),
        ),
        AddConstraintNotValid(
            model_name='importedevent',
            constraint=models.CheckConstraint(condition=models.Q(Range(Length('due_time'), (0, 5))), name='importedevent_due_time'),
        ),
    ]
