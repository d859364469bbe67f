from django.db import migrations, models

from studyservice.database.online import AddConstraintNotValid

REFUSALS = [
    '', 'token_expired', 'app_blocked', 'token_for_elsewhere', 'insufficient_scope', 'grades_hidden', 'part_hidden',
    'membership_required', 'rate_limited', 'invalid_request', 'method_not_allowed', 'not_found', 'validation_failed',
    'conflict', 'internal_error', 'revoked', 'expired',
]


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0032_assistant_dismissed'),
    ]

    operations = [
        migrations.AddField(
            model_name='apikey',
            name='refused_at',
            field=models.DateTimeField(editable=False, help_text='Time of the last refused call; at most one in five minutes is recorded.', null=True),
        ),
        migrations.AddField(
            model_name='apikey',
            name='refusal',
            field=models.CharField(blank=True, db_default='', default='', editable=False, help_text='The reason for that refusal.', max_length=32),
        ),
        AddConstraintNotValid(
            model_name='apikey',
            constraint=models.CheckConstraint(condition=models.Q(('refusal__in', REFUSALS)), name='apikey_refusal'),
        ),
    ]
