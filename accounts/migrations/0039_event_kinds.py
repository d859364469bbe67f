from django.db import migrations, models

from studyservice.database.online import AddConstraintNotValid


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0038_invitation_fields'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='accountevent',
            name='accountevent_kind',
        ),
        migrations.AlterField(
            model_name='accountevent',
            name='kind',
            field=models.CharField(choices=[('signed_in', 'signed in'), ('key_made', 'key made'), ('key_new_network', 'key used from a new network'), ('key_revoked', 'key revoked'), ('limits_changed', 'limits changed'), ('app_connected', 'app connected'), ('app_disconnected', 'app disconnected'), ('identity_connected', 'identity connected'), ('identity_disconnected', 'identity disconnected'), ('membership_changed', 'membership changed'), ('operator_action', "operator's action"), ('operator_read', 'read by an operator')], max_length=24),
        ),
        AddConstraintNotValid(
            model_name='accountevent',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['signed_in', 'key_made', 'key_new_network', 'key_revoked', 'limits_changed', 'app_connected', 'app_disconnected', 'identity_connected', 'identity_disconnected', 'membership_changed', 'operator_action', 'operator_read'])), name='accountevent_kind'),
        ),
    ]
