from django.db import migrations, models

from studyservice.database.online import AddConstraintNotValid


class Migration(migrations.Migration):

    dependencies = [
        ('oauthserver', '0015_consent_limits'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='grant',
            name='grant_refusal',
        ),
        AddConstraintNotValid(
            model_name='grant',
            constraint=models.CheckConstraint(condition=models.Q(('refusal__in', ['', 'token_expired', 'app_blocked', 'token_for_elsewhere', 'insufficient_scope', 'grades_hidden', 'part_hidden', 'membership_required', 'rate_limited', 'invalid_request', 'method_not_allowed', 'not_found', 'validation_failed', 'conflict', 'internal_error'])), name='grant_refusal'),
        ),
    ]
