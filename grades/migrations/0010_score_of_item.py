import studyservice.database.postgresql.operations
from django.db import migrations, models


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('grades', '0009_score_item_of_member'),
    ]

    operations = [
        studyservice.database.postgresql.operations.AddUniqueAside(
            model_name='gradescore',
            constraint=models.UniqueConstraint(condition=models.Q(('item__isnull', False)), fields=('member', 'item'), name='gradescore_item'),
        ),
        studyservice.database.postgresql.operations.ValidateChecks('gradescore'),
    ]
