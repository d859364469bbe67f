from django.db import migrations

from studyservice.database.member_keys import MemberForeignKey, MemberKey
from studyservice.database.postgresql.operations import AddMemberForeignKey


class Migration(migrations.Migration):
    atomic = False  # holds the locks of one table at a time

    dependencies = [
        ('courses', '0012_validate_syllabus_files'),
    ]

    operations = [
        # The keys are there since the migration of the database's rules; models tell of them now.
        migrations.SeparateDatabaseAndState(state_operations=[
            migrations.AddConstraint(
                model_name='course',
                constraint=MemberKey(name='courses_course_of_member', owner='member'),
            ),
            migrations.AddConstraint(
                model_name='item',
                constraint=MemberKey(name='courses_item_of_member', owner='member'),
            ),
        ]),
        AddMemberForeignKey(
            model_name='syllabusfile',
            constraint=MemberForeignKey(field='course', name='courses_syllabusfile_course_of_member', owner='member'),
        ),
        AddMemberForeignKey(
            model_name='item',
            constraint=MemberForeignKey(field='course', name='courses_item_course_of_member', owner='member'),
        ),
    ]
