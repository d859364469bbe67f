from django.db import migrations, models

from studyservice.database.postgresql.operations import AddCheck


class Migration(migrations.Migration):

    dependencies = [
        ('practice', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='attempt',
            name='foretold',
            field=models.IntegerField(help_text='How likely it was to be correct, in billionths; empty where nothing was foretold.', null=True),
        ),
        migrations.AddField(
            model_name='attempt',
            name='is_first',
            field=models.BooleanField(db_default=False, default=False, help_text='Whether a new card was begun with it.'),
        ),
        AddCheck(
            model_name='attempt',
            constraint=models.CheckConstraint(condition=models.Q(('foretold__range', (0, 1000000000))), name='attempt_foretold'),
        ),
    ]
