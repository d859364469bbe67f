import django.db.models.deletion
import django.db.models.functions.text
import django.db.models.lookups
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0041_linked_identities'),
    ]

    operations = [
        migrations.CreateModel(
            name='ProviderSignIn',
            fields=[
                ('id', models.UUIDField(editable=False, help_text="The first half of the secret's SHA-256.", primary_key=True, serialize=False)),
                ('target', models.TextField(help_text='Address on this site to continue at.')),
                ('expires_at', models.DateTimeField(db_index=True)),
                ('member', models.ForeignKey(help_text='Who connects the account with an identity.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [
                    models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('target'), (1, 16384))), name='providersignin_target'),
                ],
            },
        ),
    ]
