from django.db import migrations, models

from studyservice.database.online import AddIndexConcurrently, RemoveIndexConcurrently


class Migration(migrations.Migration):
    # An index is built and dropped while others write.
    atomic = False

    dependencies = [
        ('courses', '0021_syllabus_sent_once'),
    ]

    operations = [
        AddIndexConcurrently(
            model_name='item',
            index=models.Index(fields=['member', 'due_on', 'created_at', 'id', 'course'], name='item_member_due_course'),
        ),
        RemoveIndexConcurrently(
            model_name='item',
            name='item_member_due',
        ),
    ]
