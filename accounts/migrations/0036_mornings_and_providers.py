import uuid

import django.db.models.deletion
import django.db.models.functions.text
import django.db.models.lookups
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0035_move_changes'),
    ]

    operations = [
        migrations.AddField(
            model_name='member',
            name='morning_email',
            field=models.BooleanField(db_default=False, default=False, help_text='Whether the member gets an e-mail each morning with what is due.'),
        ),
        migrations.AddField(
            model_name='member',
            name='morning_put_off',
            field=models.BooleanField(db_default=False, default=False, editable=False, help_text='Whether the mail server put that one off. It may be tried again until noon.'),
        ),
        migrations.AddField(
            model_name='member',
            name='morning_sent_on',
            field=models.DateField(editable=False, help_text="The member's date of the last morning e-mail; only ever grows.", null=True),
        ),
        migrations.CreateModel(
            name='WaitingMembership',
            fields=[
                ('email', models.EmailField(max_length=254, primary_key=True, serialize=False)),
                ('active', models.BooleanField(help_text='Whether the membership will be active.')),
                ('until', models.DateField(help_text="Last day included, in the member's time zone; empty means open-ended.", null=True)),
                ('told_at', models.DateTimeField(db_index=True, default=django.utils.timezone.now, help_text='When a file last named the address.')),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('email'), (1, 254))), name='waitingmembership_email')],
            },
        ),
        migrations.CreateModel(
            name='LinkedIdentity',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('issuer', models.CharField(editable=False, max_length=255)),
                ('subject', models.CharField(editable=False, help_text='The claim sub.', max_length=255)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('membership_until', models.DateField(editable=False, null=True)),
                ('before_until', models.DateField(editable=False, null=True)),
                ('member', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='identities', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name_plural': 'linked identities',
                'constraints': [
                    models.UniqueConstraint(fields=('issuer', 'subject'), name='linkedidentity_issuer_subject'),
                    models.UniqueConstraint(fields=('member', 'issuer'), name='linkedidentity_member_issuer'),
                    models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('issuer'), (1, 255))), name='linkedidentity_issuer'),
                    models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('subject'), (1, 255))), name='linkedidentity_subject'),
                ],
            },
        ),
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
