import studyservice.database.postgresql.operations
from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('grades', '0011_category_drop_lowest'),
    ]

    operations = [
        studyservice.database.postgresql.operations.ValidateChecks('gradecategory'),
    ]
