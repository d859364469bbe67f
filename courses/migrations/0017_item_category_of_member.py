import studyservice.database.member_keys
import studyservice.database.postgresql.operations
from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('courses', '0016_item_status'),
    ]

    operations = [
        studyservice.database.postgresql.operations.AddMemberForeignKey(
            model_name='item',
            constraint=studyservice.database.member_keys.MemberForeignKey(field='category', name='courses_item_category_of_member', owner='member'),
        ),
    ]
