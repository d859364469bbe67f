import uuid

from django.db import migrations, models
from django.db.models import F, Value
from django.db.models.functions import NullIf

from studyservice.database.online import AddIndexConcurrently, RemoveIndexConcurrently


class Migration(migrations.Migration):
    # An index is built and dropped while others write.
    atomic = False

    dependencies = [
        ('courses', '0030_validate_item_due_time'),
    ]

    operations = [
        AddIndexConcurrently(
            model_name='item',
            index=models.Index(F('member'), F('due_on'), F('time_in_order'), F('created_at'), F('id'), NullIf('course', Value(uuid.UUID(int=0))), name='item_member_due_times'),
        ),
        RemoveIndexConcurrently(
            model_name='item',
            name='item_member_due_courses',
        ),
    ]
