import uuid

from django.db import migrations, models
from django.db.models import F, Value
from django.db.models.functions import NullIf

from studyservice.database.functions import AS_EXPRESSION
from studyservice.database.postgresql.operations import AddIndexAside, DropIndexAside, MemberStatistics


class Migration(migrations.Migration):
    # An index is built and dropped while others write.
    atomic = False

    dependencies = [
        ('courses', '0022_item_due_with_course'),
    ]

    operations = [
        AddIndexAside(
            model_name='item',
            index=models.Index(F('member'), F('due_on'), F('created_at'), F('id'), NullIf('course', Value(uuid.UUID(int=0))), name='item_member_due_courses'),
        ),
        DropIndexAside(
            model_name='item',
            name='item_member_due_course',
        ),
        MemberStatistics('item', 'course', expression=f'({AS_EXPRESSION})'),
    ]
