from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('oauthserver', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='grant',
            name='limits',
            field=models.TextField(blank=True, editable=False, help_text='Empty without limits; see studyservice.rows.limits.', null=True),
        ),
    ]
