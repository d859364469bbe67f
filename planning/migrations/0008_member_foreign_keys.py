from django.db import migrations

from studyservice.database.member_keys import MemberForeignKey
from studyservice.database.postgresql.operations import AddMemberForeignKey


class Migration(migrations.Migration):
    atomic = False  # holds the locks of one table at a time

    dependencies = [
        ('courses', '0013_member_foreign_keys'),
        ('planning', '0007_validate_imported_events'),
    ]

    operations = [
        AddMemberForeignKey(
            model_name='milestone',
            constraint=MemberForeignKey(field='item', name='planning_milestone_item_of_member', owner='member'),
        ),
        AddMemberForeignKey(
            model_name='importedevent',
            constraint=MemberForeignKey(field='course', name='planning_importedevent_course_of_member', owner='member'),
        ),
    ]
