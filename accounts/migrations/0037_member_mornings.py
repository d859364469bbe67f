from django.db import migrations, models

from studyservice.database.online import AddIndexConcurrently


class Migration(migrations.Migration):
    # The indexes are built while others write.
    atomic = False

    dependencies = [
        ('accounts', '0036_mornings_and_providers'),
    ]

    operations = [
        AddIndexConcurrently(
            model_name='member',
            index=models.Index(condition=models.Q(('morning_email', True)), fields=['time_zone', 'id'], name='member_mornings'),
        ),
        AddIndexConcurrently(
            model_name='member',
            index=models.Index(condition=models.Q(('morning_put_off', True)), fields=['morning_sent_on'], name='member_put_off'),
        ),
    ]
