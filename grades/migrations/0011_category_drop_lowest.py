import django.core.validators
import studyservice.database.postgresql.operations
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('grades', '0010_score_of_item'),
    ]

    operations = [
        migrations.AddField(
            model_name='gradecategory',
            name='drop_lowest',
            field=models.SmallIntegerField(db_default=0, default=0, help_text='How many of its lowest scores do not count; at least one score always counts.', validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(20)]),
        ),
        studyservice.database.postgresql.operations.AddCheck(
            model_name='gradecategory',
            constraint=models.CheckConstraint(condition=models.Q(('drop_lowest__range', (0, 20))), name='gradecategory_drop_lowest'),
        ),
    ]
