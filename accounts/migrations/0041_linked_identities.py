import uuid

import django.db.models.deletion
import django.db.models.functions.text
import django.db.models.lookups
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0040_validate_invitations'),
    ]

    operations = [
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
    ]
