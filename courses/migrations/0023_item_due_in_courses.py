import uuid

from django.db import migrations, models
from django.db.models import F, Value
from django.db.models.functions import NullIf

from studyservice.database.online import AddIndexConcurrently, RemoveIndexConcurrently, RunOnPostgresql


class Migration(migrations.Migration):
    # An index is built and dropped while others write.
    atomic = False

    dependencies = [
        ('courses', '0022_item_due_with_course'),
    ]

    operations = [
        AddIndexConcurrently(
            model_name='item',
            index=models.Index(F('member'), F('due_on'), F('created_at'), F('id'), NullIf('course', Value(uuid.UUID(int=0))), name='item_member_due_courses'),
        ),
        RemoveIndexConcurrently(
            model_name='item',
            name='item_member_due_course',
        ),
        # Otherwise the planner considers the course independent of the member, expects hardly a row, and sorts.
        RunOnPostgresql(
            "CREATE STATISTICS IF NOT EXISTS courses_item_course_id_expression_known (dependencies) "
            "ON member_id, NULLIF(course_id, '00000000-0000-0000-0000-000000000000'::uuid) FROM courses_item",
            "DROP STATISTICS courses_item_course_id_expression_known",
        ),
    ]
