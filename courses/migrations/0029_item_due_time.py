from functools import reduce
from operator import or_

from django.db import migrations, models
from django.db.models.functions import Substr
from django.db.models.lookups import In

from studyservice.database.online import AddConstraintNotValid

IN_HOUR = reduce(or_, (models.Q(due_time__startswith=f'{hour:02}:') for hour in range(24)))
IS_TIME = models.Q(In(Substr('due_time', 4), [f'{minute:02}' for minute in range(60)]), due_on__isnull=False, time_in_order=models.F('due_time')) & IN_HOUR
IS_NONE = models.Q(due_time__isnull=True, time_in_order='24:00')


class Migration(migrations.Migration):

    dependencies = [
        ('courses', '0028_course_archived'),
    ]

    operations = [
        migrations.AddField(
            model_name='item',
            name='due_time',
            field=models.CharField(blank=True, help_text="HH:MM on the member's clock; null means by the end of the day.", max_length=5, null=True),
        ),
        migrations.AddField(
            model_name='item',
            name='time_in_order',
            field=models.CharField(db_default='24:00', default='24:00', editable=False, help_text='Its time as it is sorted, which is never null (courses.item_rows).', max_length=5),
        ),
        AddConstraintNotValid(
            model_name='item',
            constraint=models.CheckConstraint(condition=IS_TIME | IS_NONE, name='item_due_time'),
        ),
    ]
