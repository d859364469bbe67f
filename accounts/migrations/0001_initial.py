import accounts.members.models
import datetime
import django.core.validators
import django.db.models.deletion
import django.db.models.functions.text
import django.db.models.lookups
import django.utils.timezone
import studyservice.database.ids
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('accounts', '0025_validate_flashcard_settings')]

    initial = True

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        migrations.CreateModel(
            name='Member',
            fields=[
                ('password', models.CharField(max_length=128, verbose_name='password')),
                ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                ('is_superuser', models.BooleanField(default=False, help_text='Designates that this user has all permissions without explicitly assigning them.', verbose_name='superuser status')),
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('email', models.EmailField(max_length=254, unique=True)),
                ('name', models.CharField(blank=True, max_length=150)),
                ('time_zone', models.CharField(default='UTC', help_text='IANA name; decides what “today” is.', max_length=64, validators=[accounts.members.models.validate_time_zone])),
                ('membership_active', models.BooleanField(default=True, help_text='Turned off, the membership has lapsed, whatever its last day.')),
                ('membership_until', models.DateField(blank=True, help_text="Last day included, in the member's time zone; empty means open-ended.", null=True)),
                ('is_active', models.BooleanField(default=True, help_text='Turned off, no sign-in and no credential works.', verbose_name='may sign in')),
                ('is_staff', models.BooleanField(default=False, verbose_name='may use the admin')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('write_clock', models.DateTimeField(default=datetime.datetime(1970, 1, 1, 0, 0, tzinfo=datetime.timezone.utc), editable=False, help_text="Time of the member's newest write; only ever grows. See studyservice.changes.writing.")),
                ('groups', models.ManyToManyField(blank=True, help_text='The groups this user belongs to. A user will get all permissions granted to each of their groups.', related_name='user_set', related_query_name='user', to='auth.group', verbose_name='groups')),
                ('user_permissions', models.ManyToManyField(blank=True, help_text='Specific permissions for this user.', related_name='user_set', related_query_name='user', to='auth.permission', verbose_name='user permissions')),
                ('session_epoch', models.PositiveIntegerField(default=0, editable=False, help_text='Counted up to end every session of the member. See accounts.signing_in.sessions.')),
                ('erasure_began_at', models.DateTimeField(editable=False, help_text='Since when the member is being deleted. See accounts.erasure.erasing.', null=True)),
                ('desired_retention', models.FloatField(db_default=0.9, default=0.9, help_text="How likely the member wants to know a card when it comes up, 0.7 to 0.99; the higher, the sooner cards come back. Counts from each card's next review on.", validators=[django.core.validators.MinValueValidator(0.7), django.core.validators.MaxValueValidator(0.99)])),
                ('reminded_until', models.DateField(editable=False, help_text='The end of the membership that the member was reminded of by e-mail.', null=True)),
                ('new_cards_a_day', models.PositiveSmallIntegerField(blank=True, default=20, help_text='How many new flashcards the member starts a day, over all decks; null means no limit.', null=True, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(500)])),
                ('seconds', models.FloatField(db_default=0, default=0, editable=False, help_text='Seconds that a review of a card takes: a mean in which the last 50 reviews weigh most.')),
                ('seconds_reviews', models.PositiveIntegerField(db_default=0, default=0, editable=False, help_text='From how many reviews with a duration that mean was made.')),
            ],
            options={
                'ordering': ['email'],
                'indexes': [models.Index(condition=models.Q(('erasure_began_at__isnull', False)), fields=['erasure_began_at'], name='member_erasing')],
                'constraints': [models.CheckConstraint(condition=models.Q(('erasure_began_at', None), ('is_active', False), _connector='OR'), name='member_erasing_inactive', violation_error_message='This member is being deleted and cannot be let in again.'), models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('email'), (1, 254))), name='member_email'), models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('name'), (0, 150))), name='member_name'), models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('time_zone'), (1, 64))), name='member_time_zone'), models.CheckConstraint(condition=models.Q(('desired_retention__range', (0.7, 0.99))), name='member_desired_retention'), models.CheckConstraint(condition=models.Q(('new_cards_a_day__range', (0, 500))), name='member_new_cards_a_day'), models.CheckConstraint(condition=models.Q(('seconds__range', (0, 120))), name='member_seconds')],
            },
        ),
        migrations.CreateModel(
            name='ApiKey',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('name', models.CharField(max_length=60)),
                ('secret_hash', models.CharField(editable=False, max_length=64)),
                ('hint', models.CharField(editable=False, help_text="The secret's visible beginning and end.", max_length=32)),
                ('may_write', models.BooleanField(default=True, verbose_name='may change data')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('expires_at', models.DateTimeField(blank=True, null=True)),
                ('revoked_at', models.DateTimeField(blank=True, editable=False, null=True)),
                ('last_used_at', models.DateTimeField(blank=True, editable=False, null=True)),
                ('member', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='api_keys', to=settings.AUTH_USER_MODEL)),
                ('networks', models.TextField(blank=True, db_default='', default='', editable=False, help_text='It was used from, apart by spaces.')),
            ],
            options={
                'verbose_name': 'API key',
                'verbose_name_plural': 'API keys',
                'ordering': ['-created_at'],
                'indexes': [models.Index(fields=['member', '-created_at'], name='apikey_member_created'), models.Index(condition=models.Q(('revoked_at', None)), fields=['member', 'expires_at'], name='apikey_member_live'), models.Index(condition=models.Q(('revoked_at__isnull', False)), fields=['revoked_at'], name='apikey_revoked'), models.Index(condition=models.Q(('expires_at__isnull', False)), fields=['expires_at'], name='apikey_expires'), models.Index(fields=['hint'], name='apikey_hint', opclasses=['varchar_pattern_ops'])],
                'constraints': [models.UniqueConstraint(fields=('secret_hash',), name='apikey_secret_hash'), models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('name'), (1, 60))), name='apikey_name')],
            },
        ),
        migrations.CreateModel(
            name='SignInCode',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('code_hash', models.CharField(max_length=64)),
                ('tries', models.PositiveSmallIntegerField(default=0)),
                ('expires_at', models.DateTimeField(db_index=True)),
                ('used_at', models.DateTimeField(null=True)),
                ('member', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='sign_in_codes', to=settings.AUTH_USER_MODEL)),
                ('joins', models.BooleanField(db_default=False, default=False, help_text='Whether it was sent to an address of nobody, who joins with it.')),
            ],
            options={
                'indexes': [],
                'constraints': [],
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
                'indexes': [models.Index(fields=['member', '-created_at'], name='idempotency_member_created'), models.Index(fields=['created_at'], name='idempotency_created')],
                'constraints': [models.UniqueConstraint(fields=('member', 'holder', 'key'), name='idempotency_key_once'), models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('key'), (1, 255))), name='idempotencykey_key'), models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('fingerprint'), (64, 64))), name='idempotencykey_fingerprint'), models.CheckConstraint(condition=models.Q(('status__range', (200, 299))), name='idempotencykey_status')],
            },
        ),
        migrations.CreateModel(
            name='Change',
            fields=[
                ('id', models.UUIDField(default=studyservice.database.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(help_text="The stamp of the write, on the member's clock.")),
                ('operation', models.CharField(max_length=64)),
                ('by_kind', models.CharField(choices=[('key', 'API key'), ('app', 'connected app'), ('page', 'page of this service'), ('operator', 'Operator'), ('command', 'Command')], help_text='Empty of reviews from before it was kept.', max_length=8, null=True)),
                ('by_id', models.UUIDField(null=True)),
                ('by_name', models.CharField(blank=True, max_length=255)),
                ('object_type', models.CharField(max_length=32)),
                ('object_id', models.UUIDField()),
                ('object_name', models.CharField(blank=True, max_length=255)),
                ('contents', models.BinaryField(help_text='The fields before and after, as JSON; compressed if they are long.')),
                ('taken', models.BinaryField(help_text='The rows that a deletion took, compressed; for 30 days.', null=True)),
                ('undoable', models.BooleanField(help_text='Whether the row has what taking the change back needs.')),
                ('undone_at', models.DateTimeField(null=True)),
                ('member', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='changes', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(fields=['member', 'created_at', 'id'], name='change_member_age'), models.Index(fields=['member', 'object_id', 'created_at', 'id'], name='change_member_object'), models.Index(condition=models.Q(('taken__isnull', False)), fields=['id'], name='change_taken')],
                'constraints': [models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('operation'), (1, 64))), name='change_operation'), models.CheckConstraint(condition=models.Q(('by_kind__in', ['key', 'app', 'page', 'operator', 'command'])), name='change_by_kind'), models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('by_name'), (0, 255))), name='change_by_name'), models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('object_type'), (1, 32))), name='change_object_type'), models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('object_name'), (0, 255))), name='change_object_name')],
            },
        ),
        migrations.CreateModel(
            name='BrowserSession',
            fields=[
                ('session_key', models.CharField(max_length=40, primary_key=True, serialize=False, verbose_name='session key')),
                ('session_data', models.TextField(verbose_name='session data')),
                ('expire_date', models.DateTimeField(db_index=True, verbose_name='expire date')),
                ('browser', models.CharField(blank=True, help_text='Such as Firefox on Windows.', max_length=60)),
                ('last_used_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('member', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='browser_sessions', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'session',
                'verbose_name_plural': 'sessions',
                'indexes': [models.Index(fields=['member', '-last_used_at'], name='session_member_used')],
                'constraints': [models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('browser'), (0, 60))), name='browsersession_browser')],
            },
        ),
        migrations.CreateModel(
            name='Invitation',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('email', models.EmailField(max_length=254, unique=True)),
                ('secret_hash', models.CharField(editable=False, max_length=64)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('expires_at', models.DateTimeField(db_index=True, editable=False)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('secret_hash',), name='invitation_secret_hash'), models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('email'), (1, 254))), name='invitation_email')],
                'indexes': [],
            },
        ),
        migrations.CreateModel(
            name='CalendarFeed',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('secret_hash', models.CharField(editable=False, max_length=64)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('last_used_at', models.DateTimeField(blank=True, editable=False, null=True)),
                ('member', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='calendar_feed', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('secret_hash',), name='calendarfeed_secret_hash')],
                'indexes': [],
            },
        ),
        migrations.CreateModel(
            name='SecretOwner',
            fields=[
                ('id', models.UUIDField(editable=False, help_text="The first half of the secret's SHA-256.", primary_key=True, serialize=False)),
                ('member', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [],
                'constraints': [],
            },
        ),
        migrations.CreateModel(
            name='MemberAddress',
            fields=[
                ('email', models.EmailField(max_length=254, primary_key=True, serialize=False)),
                ('member', models.OneToOneField(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name_plural': 'member addresses',
                'indexes': [],
                'constraints': [],
            },
        ),
        migrations.CreateModel(
            name='AuthenticatorApp',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('sealed_secret', models.CharField(editable=False, max_length=500)),
                ('last_step', models.BigIntegerField(default=0, editable=False, help_text='Of 30 seconds since 1970, the one whose code was used last; none before it.')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('last_used_at', models.DateTimeField(blank=True, editable=False, null=True)),
                ('member', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='authenticator_app', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('sealed_secret'), (1, 500))), name='authenticatorapp_sealed_secret'), models.CheckConstraint(condition=models.Q(('last_step__gte', 0)), name='authenticatorapp_last_step')],
                'indexes': [],
            },
        ),
        migrations.CreateModel(
            name='Passkey',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('name', models.CharField(max_length=60)),
                ('credential_id', models.CharField(editable=False, help_text='In base64url.', max_length=1400)),
                ('public_key', models.BinaryField(help_text='A COSE key (RFC 9052).')),
                ('sign_count', models.BigIntegerField(default=0, editable=False, help_text='What the device counted at its last signature; 0 if it does not count.')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('last_used_at', models.DateTimeField(blank=True, editable=False, null=True)),
                ('member', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='passkeys', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('member', 'credential_id'), name='passkey_member_credential'), models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('name'), (1, 60))), name='passkey_name'), models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('credential_id'), (1, 1400))), name='passkey_credential_id'), models.CheckConstraint(condition=models.Q(('sign_count__gte', 0)), name='passkey_sign_count')],
                'indexes': [],
            },
        ),
        migrations.CreateModel(
            name='RecoveryCode',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('secret_hash', models.CharField(editable=False, max_length=64)),
                ('member', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='recovery_codes', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('member', 'secret_hash'), name='recoverycode_member_hash')],
                'indexes': [],
            },
        ),
        migrations.CreateModel(
            name='AccountEvent',
            fields=[
                ('id', models.UUIDField(default=studyservice.database.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('kind', models.CharField(choices=[('signed_in', 'signed in'), ('key_made', 'key made'), ('key_new_network', 'key used from a new network'), ('key_revoked', 'key revoked'), ('app_connected', 'app connected'), ('app_disconnected', 'app disconnected'), ('operator_action', "operator's action"), ('operator_read', 'read by an operator')], max_length=24)),
                ('by_kind', models.CharField(choices=[('key', 'API key'), ('app', 'connected app'), ('page', 'page of this service'), ('operator', 'Operator'), ('command', 'Command')], max_length=8)),
                ('by_id', models.UUIDField(null=True)),
                ('by_name', models.CharField(blank=True, max_length=255)),
                ('network', models.CharField(blank=True, help_text='Empty where it is not known, as of commands.', max_length=43)),
                ('object_type', models.CharField(blank=True, help_text='What it is about, if not the account.', max_length=32)),
                ('object_id', models.UUIDField(null=True)),
                ('object_name', models.CharField(blank=True, max_length=255)),
                ('detail', models.CharField(blank=True, max_length=255)),
                ('request_id', models.CharField(blank=True, max_length=64)),
                ('member', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(fields=['member', 'id'], name='event_member_age'), models.Index(condition=models.Q(('request_id', ''), _negated=True), fields=['request_id'], name='event_request')],
                'constraints': [models.CheckConstraint(condition=models.Q(('kind__in', ['signed_in', 'key_made', 'key_new_network', 'key_revoked', 'app_connected', 'app_disconnected', 'operator_action', 'operator_read'])), name='accountevent_kind'), models.CheckConstraint(condition=models.Q(('by_kind__in', ['key', 'app', 'page', 'operator', 'command'])), name='accountevent_by_kind'), models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('by_name'), (0, 255))), name='accountevent_by_name'), models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('object_name'), (0, 255))), name='accountevent_object_name'), models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('detail'), (0, 255))), name='accountevent_detail'), models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('object_type'), (0, 32))), name='accountevent_object_type'), models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('request_id'), (0, 64))), name='accountevent_request_id'), models.CheckConstraint(condition=models.Q(('network', ''), models.Q(('network__endswith', '/24')), models.Q(('network__endswith', '/56')), _connector='OR'), name='accountevent_network')],
            },
        ),
        migrations.CreateModel(
            name='LastRun',
            fields=[
                ('name', models.CharField(max_length=40, primary_key=True, serialize=False)),
                ('finished_at', models.DateTimeField()),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('name'), (1, 40))), name='lastrun_name')],
                'indexes': [],
            },
        ),
        migrations.CreateModel(
            name='OutgoingMail',
            fields=[
                ('id', models.UUIDField(default=studyservice.database.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(choices=[('announcement', 'Announcement'), ('reminder', 'Reminder'), ('invitation', 'Invitation')], max_length=12)),
                ('email', models.EmailField(db_index=True, max_length=254)),
                ('content', models.TextField(help_text='Subject and text, encrypted. See accounts.members.outbox.')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('next_attempt_at', models.DateTimeField(db_index=True, default=django.utils.timezone.now)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('kind__in', ['announcement', 'reminder', 'invitation'])), name='outgoingmail_kind'), models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('email'), (1, 254))), name='outgoingmail_email'), models.CheckConstraint(condition=models.Q(('attempts__gte', 0)), name='outgoingmail_attempts')],
                'indexes': [],
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
                'indexes': [models.Index(fields=['member', 'object_id', 'change_id'], name='changeobject_member')],
                'constraints': [],
            },
        ),
    ]
