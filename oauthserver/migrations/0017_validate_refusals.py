from django.db import migrations

from studyservice.database.online import ValidateConstraint


class Migration(migrations.Migration):

    dependencies = [
        ('oauthserver', '0016_refusals_by_limits'),
    ]

    operations = [ValidateConstraint('grant', name='grant_refusal')]
