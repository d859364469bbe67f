import django.db.models.deletion
import django.db.models.functions.text
import django.db.models.lookups
import django.utils.timezone
import oauth2_provider.generators
import oauth2_provider.models
import oauthserver.models
import studyservice.database.member_keys
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('oauthserver', '0014_auth_method_named')]

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='ConnectedMember',
            fields=[
            ],
            options={
                'verbose_name': 'member with apps',
                'verbose_name_plural': 'members with apps',
                'proxy': True,
                'indexes': [],
                'constraints': [],
            },
            bases=('accounts.member',),
        ),
        migrations.CreateModel(
            name='Application',
            fields=[
                ('client_id', models.CharField(db_index=True, default=oauth2_provider.generators.generate_client_id, max_length=255, unique=True, verbose_name='client ID')),
                ('redirect_uris', models.TextField(blank=True, help_text='Allowed URIs list, space separated', verbose_name='redirect URIs')),
                ('client_type', models.CharField(choices=[('confidential', 'Confidential'), ('public', 'Public')], max_length=32, verbose_name='client type')),
                ('authorization_grant_type', models.CharField(choices=[('authorization-code', 'Authorization code'), ('urn:ietf:params:oauth:grant-type:device_code', 'Device Code'), ('implicit', 'Implicit'), ('password', 'Resource owner password-based'), ('client-credentials', 'Client credentials'), ('openid-hybrid', 'OpenID connect hybrid')], max_length=44, verbose_name='authorization grant type')),
                ('created', models.DateTimeField(auto_now_add=True, verbose_name='created')),
                ('updated', models.DateTimeField(auto_now=True, verbose_name='updated')),
                ('registration_source', models.CharField(choices=[('manual', 'Manual'), ('dcr', 'Dynamic Client Registration'), ('cimd', 'Client ID Metadata Document')], default='manual', help_text='How this application was registered (manual, DCR per RFC 7591, or CIMD)', max_length=32, verbose_name='registration source')),
                ('cimd_expires_at', models.DateTimeField(blank=True, default=None, help_text='When the cached Client ID Metadata Document should be re-fetched', null=True, verbose_name='CIMD expires at')),
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('name', models.CharField(max_length=120)),
                ('client_secret', oauthserver.models.SecretHashField(blank=True, default='', editable=False, max_length=64)),
                ('token_endpoint_auth_method', models.CharField(choices=[('none', 'None'), ('client_secret_basic', 'Basic'), ('client_secret_post', 'Post')], default='client_secret_basic', max_length=32)),
                ('verified', models.BooleanField(default=False, help_text='Checked by us: not labelled as unverified on the consent page, whatever its callback.')),
                ('first_token_at', models.DateTimeField(blank=True, editable=False, help_text='Empty means that the registration was never used.', null=True)),
                ('auth_method_named', models.BooleanField(db_default=True, default=True, editable=False, help_text='If the registration named none, the secret is accepted by Basic and in the body.', verbose_name='named its method')),
            ],
            options={
                'verbose_name': 'app',
                'indexes': [models.Index(condition=models.Q(('first_token_at', None)), fields=['created'], name='app_never_used'), models.Index(fields=['created'], name='app_created')],
                'constraints': [models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('name'), (1, 120))), name='application_name'), models.CheckConstraint(condition=models.Q(('client_type__in', ['public', 'confidential'])), name='application_client_type'), models.CheckConstraint(condition=models.Q(('authorization_grant_type__in', ['authorization-code'])), name='application_authorization_grant_type'), models.CheckConstraint(condition=models.Q(('token_endpoint_auth_method__in', ['none', 'client_secret_basic', 'client_secret_post'])), name='application_token_endpoint_auth_method'), models.CheckConstraint(condition=models.Q(('registration_source__in', ['manual', 'dcr', 'cimd'])), name='application_registration_source')],
            },
        ),
        migrations.CreateModel(
            name='AccessToken',
            fields=[
                ('token_checksum', oauth2_provider.models.TokenChecksumField(editable=False, max_length=64)),
                ('expires', models.DateTimeField(verbose_name='expires')),
                ('scope', models.TextField(blank=True, verbose_name='scope')),
                ('created', models.DateTimeField(auto_now_add=True, verbose_name='created')),
                ('updated', models.DateTimeField(auto_now=True, verbose_name='updated')),
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('token_family', models.UUIDField(db_index=True, editable=False)),
                ('resource', models.TextField(blank=True, default='', help_text='The one resource it is for; empty means all.')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('application', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, to=settings.OAUTH2_PROVIDER_APPLICATION_MODEL, verbose_name='application')),
            ],
            options={
                'indexes': [models.Index(fields=['expires'], name='access_token_expires')],
                'constraints': [models.UniqueConstraint(fields=('token_checksum',), name='access_token_checksum'), studyservice.database.member_keys.MemberKey(name='oauthserver_accesstoken_of_member', owner='user')],
            },
        ),
        migrations.CreateModel(
            name='Grant',
            fields=[
                ('expires', models.DateTimeField(verbose_name='expires')),
                ('redirect_uri', models.TextField(verbose_name='redirect URI')),
                ('scope', models.TextField(blank=True, verbose_name='scope')),
                ('created', models.DateTimeField(auto_now_add=True, verbose_name='created')),
                ('updated', models.DateTimeField(auto_now=True, verbose_name='updated')),
                ('code_challenge', models.CharField(blank=True, default='', max_length=128, verbose_name='code challenge')),
                ('code_challenge_method', models.CharField(blank=True, choices=[('plain', 'plain'), ('S256', 'S256')], default='', max_length=10, verbose_name='code challenge method')),
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('code', oauthserver.models.SecretHashField(editable=False, max_length=64)),
                ('token_family', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('redirect_uri_sent', models.BooleanField(default=True, help_text='Whether the authorization request named the redirect URI.')),
                ('resource', models.TextField(blank=True, default='')),
                ('spent_at', models.DateTimeField(editable=False, null=True)),
                ('application', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to=settings.OAUTH2_PROVIDER_APPLICATION_MODEL, verbose_name='application')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('reused_at', models.DateTimeField(editable=False, help_text='When a refresh token of it was last used a second time.', null=True)),
                ('last_call_at', models.DateTimeField(editable=False, help_text='When a call of it was last answered as it asked. See accounts.credentials.uses.', null=True)),
                ('refusal', models.CharField(blank=True, db_default='', default='', editable=False, help_text='Why it was.', max_length=32)),
                ('refused_at', models.DateTimeField(editable=False, help_text='When a call of it was last refused.', null=True)),
            ],
            options={
                'indexes': [models.Index(fields=['expires'], name='grant_expires')],
                'constraints': [models.UniqueConstraint(fields=('code',), name='grant_code'), models.CheckConstraint(condition=models.Q(('code_challenge_method__in', ['S256'])), name='grant_code_challenge_method'), models.CheckConstraint(condition=models.Q(('refusal__in', ['', 'token_expired', 'app_blocked', 'token_for_elsewhere', 'insufficient_scope', 'membership_required', 'rate_limited', 'invalid_request', 'method_not_allowed', 'not_found', 'validation_failed', 'conflict', 'internal_error'])), name='grant_refusal')],
            },
        ),
        migrations.CreateModel(
            name='RefreshToken',
            fields=[
                ('created', models.DateTimeField(auto_now_add=True, verbose_name='created')),
                ('updated', models.DateTimeField(auto_now=True, verbose_name='updated')),
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('token_checksum', oauth2_provider.models.TokenChecksumField(editable=False, max_length=64)),
                ('token_family', models.UUIDField(db_index=True, editable=False)),
                ('scope', models.TextField(help_text='What the member allowed; an access token may be narrower.')),
                ('resource', models.TextField(blank=True, default='')),
                ('expires', models.DateTimeField()),
                ('revoked', models.DateTimeField(editable=False, null=True, verbose_name='rotated')),
                ('access_token', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='refresh_token', to=settings.OAUTH2_PROVIDER_ACCESS_TOKEN_MODEL, verbose_name='access token')),
                ('application', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to=settings.OAUTH2_PROVIDER_APPLICATION_MODEL, verbose_name='application')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'connection',
                'indexes': [models.Index(fields=['expires'], name='refresh_token_expires'), models.Index(condition=models.Q(('revoked', None)), fields=['user', 'application'], name='refresh_token_live')],
                'constraints': [models.UniqueConstraint(fields=('token_checksum',), name='refresh_token_checksum'), studyservice.database.member_keys.MemberForeignKey(field='access_token', name='oauthserver_refreshtoken_access_token_of_member', owner='user')],
            },
        ),
        migrations.CreateModel(
            name='BlockedApp',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('client_id', models.CharField(help_text='The address of its metadata document, if it has one.', max_length=255, verbose_name='client id')),
                ('note', models.TextField(blank=True, default='', help_text='Why, for operators; no member sees it.')),
                ('created', models.DateTimeField(default=django.utils.timezone.now, editable=False, verbose_name='blocked')),
            ],
            options={
                'verbose_name': 'blocked app',
                'constraints': [models.UniqueConstraint(fields=('client_id',), name='blocked_app_client_id'), models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('client_id'), (1, 255))), name='blockedapp_client_id')],
                'indexes': [],
            },
        ),
    ]
