from django.db import migrations

from studyservice.database.member_keys import MemberForeignKey, MemberKey
from studyservice.database.postgresql.operations import AddMemberForeignKey


class Migration(migrations.Migration):
    atomic = False  # holds the locks of one table at a time

    dependencies = [
        ('courses', '0013_member_foreign_keys'),
        ('grades', '0003_validate_database_rules'),
    ]

    operations = [
        # The keys are there since the migration of the database's rules; models tell of them now.
        migrations.SeparateDatabaseAndState(state_operations=[
            migrations.AddConstraint(
                model_name='gradecategory',
                constraint=MemberKey(name='grades_gradecategory_of_member', owner='member'),
            ),
        ]),
        AddMemberForeignKey(
            model_name='gradecategory',
            constraint=MemberForeignKey(field='course', name='grades_gradecategory_course_of_member', owner='member'),
        ),
        AddMemberForeignKey(
            model_name='gradescore',
            constraint=MemberForeignKey(field='category', name='grades_gradescore_category_of_member', owner='member'),
        ),
    ]
