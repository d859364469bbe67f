from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0027_validate_calendars_change'),
    ]

    operations = [
        migrations.AddField(
            model_name='apikey',
            name='limits',
            field=models.TextField(blank=True, editable=False, help_text='Empty without limits; see studyservice.rows.limits.', null=True),
        ),
    ]
