from django.db import migrations

from studyservice.database.member_keys import MemberForeignKey, MemberKey
from studyservice.database.postgresql.operations import AddMemberForeignKey


class Migration(migrations.Migration):
    atomic = False  # holds the locks of one table at a time

    dependencies = [
        ('oauthserver', '0009_validate_last_calls'),
    ]

    operations = [
        # The keys are there since the migration of the database's rules; models tell of them now.
        migrations.SeparateDatabaseAndState(state_operations=[
            migrations.AddConstraint(
                model_name='accesstoken',
                constraint=MemberKey(name='oauthserver_accesstoken_of_member', owner='user'),
            ),
        ]),
        AddMemberForeignKey(
            model_name='refreshtoken',
            constraint=MemberForeignKey(field='access_token', name='oauthserver_refreshtoken_access_token_of_member', owner='user'),
        ),
    ]
