from django.db import migrations, models

from studyservice.database.online import AddIndexConcurrently


class Migration(migrations.Migration):
    # The index is built while others write.
    atomic = False

    dependencies = [
        ('accounts', '0036_morning_email'),
    ]

    operations = [
        AddIndexConcurrently(
            model_name='member',
            index=models.Index(condition=models.Q(('morning_email', True)), fields=['time_zone', 'id'], name='member_mornings'),
        ),
    ]
