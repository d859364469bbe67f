import studyservice.database.member_keys
import studyservice.database.postgresql.operations
from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('grades', '0008_score_item'),
    ]

    operations = [
        studyservice.database.postgresql.operations.AddMemberForeignKey(
            model_name='gradescore',
            constraint=studyservice.database.member_keys.MemberForeignKey(field='item', name='grades_gradescore_item_of_member', owner='member'),
        ),
    ]
