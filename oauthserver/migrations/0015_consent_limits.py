from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('oauthserver', '0014_auth_method_named'),
    ]

    operations = [
        migrations.AddField(
            model_name='grant',
            name='limits',
            field=models.TextField(blank=True, editable=False, help_text='Empty without limits; see accounts.credentials.limits.', null=True),
        ),
    ]
