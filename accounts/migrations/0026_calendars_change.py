from django.db import migrations, models

from studyservice.database.postgresql.operations import AddCheck


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0025_validate_flashcard_settings'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='change',
            name='change_by_kind',
        ),
        migrations.AlterField(
            model_name='change',
            name='by_kind',
            field=models.CharField(choices=[('key', 'API key'), ('app', 'connected app'), ('page', 'page of this service'), ('operator', 'Operator'), ('command', 'Command'), ('calendar', 'school calendar')], help_text='Empty of reviews from before it was kept.', max_length=8, null=True),
        ),
        AddCheck(
            model_name='change',
            constraint=models.CheckConstraint(condition=models.Q(('by_kind__in', ['key', 'app', 'page', 'operator', 'command', 'calendar'])), name='change_by_kind'),
        ),
    ]
