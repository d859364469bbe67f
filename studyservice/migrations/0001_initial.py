import django.db.models.deletion
import django.db.models.functions.text
import django.db.models.lookups
import django.utils.timezone
import studyservice.database.ids
import uuid
from django.conf import settings
from django.db import migrations, models

TYPES = "UPDATE django_content_type SET app_label = '{}' WHERE app_label = '{}' AND model IN ('change', 'changeobject', 'idempotencykey')"


class Migration(migrations.Migration):
    """Takes over three models of `accounts` with their tables. Their content types keep operators' permissions and log."""

    initial = True

    dependencies = [
        ('accounts', '0035_move_changes'),
        ('contenttypes', '0002_remove_content_type_name'),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name='Change',
                    fields=[
                        ('id', models.UUIDField(default=studyservice.database.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                        ('created_at', models.DateTimeField(help_text="The stamp of the write, on the member's clock.")),
                        ('operation', models.CharField(max_length=64)),
                        ('by_kind', models.CharField(choices=[('key', 'API key'), ('app', 'connected app'), ('page', 'page of this service'), ('operator', 'Operator'), ('command', 'Command'), ('calendar', 'school calendar')], help_text='Empty of reviews from before it was kept.', max_length=8, null=True)),
                        ('by_id', models.UUIDField(null=True)),
                        ('by_name', models.CharField(blank=True, max_length=255)),
                        ('object_type', models.CharField(max_length=32)),
                        ('object_id', models.UUIDField()),
                        ('object_name', models.CharField(blank=True, max_length=255)),
                        ('contents', models.BinaryField(help_text='The fields before and after, as JSON; compressed if they are long.')),
                        ('taken', models.BinaryField(help_text='The rows that a deletion took, compressed; for 30 days.', null=True)),
                        ('undoable', models.BooleanField(help_text='Whether the row has what taking the change back needs.')),
                        ('undone_at', models.DateTimeField(null=True)),
                        ('course_id', models.UUIDField(help_text='The course of the object; empty if it has none, or unknown.', null=True)),
                        ('courses', models.TextField(db_default='', default='', help_text='Further courses that it touched, apart by spaces; a hyphen for what belongs to no course.')),
                        ('grades', models.BooleanField(db_default=False, default=False, help_text='Whether it is about grades.')),
                        ('member', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='changes', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'db_table': 'accounts_change',
                        'indexes': [models.Index(fields=['member', 'created_at', 'id'], name='change_member_age'), models.Index(fields=['member', 'object_id', 'created_at', 'id'], name='change_member_object'), models.Index(condition=models.Q(('taken__isnull', False)), fields=['id'], name='change_taken')],
                        'constraints': [models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('operation'), (1, 64))), name='change_operation'), models.CheckConstraint(condition=models.Q(('by_kind__in', ['key', 'app', 'page', 'operator', 'command', 'calendar'])), name='change_by_kind'), models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('by_name'), (0, 255))), name='change_by_name'), models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('object_type'), (1, 32))), name='change_object_type'), models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('object_name'), (0, 255))), name='change_object_name')],
                    },
                ),
                migrations.CreateModel(
                    name='ChangeObject',
                    fields=[
                        ('id', models.UUIDField(default=studyservice.database.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                        ('object_id', models.UUIDField()),
                        ('change_id', models.UUIDField()),
                        ('member', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'db_table': 'accounts_changeobject',
                        'indexes': [models.Index(fields=['member', 'object_id', 'change_id'], name='changeobject_member')],
                    },
                ),
                migrations.CreateModel(
                    name='IdempotencyKey',
                    fields=[
                        ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                        ('holder', models.UUIDField(help_text='The API key, or the connection of the access token, that sent it.')),
                        ('key', models.CharField(max_length=255)),
                        ('fingerprint', models.CharField(help_text='SHA-256 of the operation, its path and its body.', max_length=64)),
                        ('status', models.PositiveSmallIntegerField()),
                        ('answer', models.TextField(help_text='The body of the answer, or the ids in it.')),
                        ('whole', models.BooleanField(help_text='Whether the answer is there, and not only its ids.')),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('member', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'db_table': 'accounts_idempotencykey',
                        'indexes': [models.Index(fields=['member', '-created_at'], name='idempotency_member_created'), models.Index(fields=['created_at'], name='idempotency_created')],
                        'constraints': [models.UniqueConstraint(fields=('member', 'holder', 'key'), name='idempotency_key_once'), models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('key'), (1, 255))), name='idempotencykey_key'), models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('fingerprint'), (64, 64))), name='idempotencykey_fingerprint'), models.CheckConstraint(condition=models.Q(('status__range', (200, 299))), name='idempotencykey_status')],
                    },
                ),
            ],
        ),
        migrations.RunSQL(TYPES.format('studyservice', 'accounts'), TYPES.format('accounts', 'studyservice')),
    ]
