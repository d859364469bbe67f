from django.db import migrations, models

from studyservice.database.postgresql.operations import AddIndexAside, DropIndexAside


class Migration(migrations.Migration):
    # An index is built and dropped while others write.
    atomic = False

    dependencies = [
        ('courses', '0021_syllabus_sent_once'),
    ]

    operations = [
        AddIndexAside(
            model_name='item',
            index=models.Index(fields=['member', 'due_on', 'created_at', 'id', 'course'], name='item_member_due_course'),
        ),
        DropIndexAside(
            model_name='item',
            name='item_member_due',
        ),
    ]
