from django.db import migrations

from studyservice.database.member_keys import MemberForeignKey, MemberKey
from studyservice.database.postgresql.operations import AddMemberForeignKey


class Migration(migrations.Migration):
    atomic = False  # holds the locks of one table at a time

    dependencies = [
        ('courses', '0013_member_foreign_keys'),
        ('vocab', '0009_retention_to_member'),
    ]

    operations = [
        # The keys are there since the migration of the database's rules; models tell of them now.
        migrations.SeparateDatabaseAndState(state_operations=[
            migrations.AddConstraint(
                model_name='deck',
                constraint=MemberKey(name='vocab_deck_of_member', owner='member'),
            ),
            migrations.AddConstraint(
                model_name='card',
                constraint=MemberKey(name='vocab_card_of_member', owner='member'),
            ),
        ]),
        AddMemberForeignKey(
            model_name='deck',
            constraint=MemberForeignKey(field='course', name='vocab_deck_course_of_member', owner='member'),
        ),
        AddMemberForeignKey(
            model_name='card',
            constraint=MemberForeignKey(field='deck', name='vocab_card_deck_of_member', owner='member'),
        ),
        AddMemberForeignKey(
            model_name='review',
            constraint=MemberForeignKey(field='card', name='vocab_review_card_of_member', owner='member'),
        ),
    ]
