from django.db import migrations, models

from studyservice.database.online import AddConstraintNotValid


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0001_initial'),
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
        AddConstraintNotValid(
            model_name='change',
            constraint=models.CheckConstraint(condition=models.Q(('by_kind__in', ['key', 'app', 'page', 'operator', 'command', 'calendar'])), name='change_by_kind'),
        ),
    ]
