from django.db import migrations, models

from studyservice.database.online import AddIndexConcurrently


class Migration(migrations.Migration):
    # The index is built while others write.
    atomic = False

    dependencies = [
        ('accounts', '0037_member_mornings'),
    ]

    operations = [
        AddIndexConcurrently(
            model_name='member',
            index=models.Index(condition=models.Q(('morning_put_off', True)), fields=['morning_sent_on'], name='member_put_off'),
        ),
    ]
