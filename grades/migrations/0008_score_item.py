import django.db.models.deletion
import studyservice.database.postgresql.operations
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('courses', '0016_item_status'),
        ('grades', '0007_describe_columns'),
    ]

    operations = [
        studyservice.database.postgresql.operations.AddReference(
            model_name='gradescore',
            name='item',
            field=models.ForeignKey(blank=True, help_text='The item that was graded, of the same course; null for none.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='scores', to='courses.item'),
        ),
    ]
