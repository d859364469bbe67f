import django.core.validators
from django.db import migrations, models

from studyservice.database.online import AddConstraintNotValid


class Migration(migrations.Migration):

    dependencies = [
        ('courses', '0023_item_due_in_courses'),
    ]

    operations = [
        migrations.AddField(
            model_name='course',
            name='hue',
            field=models.PositiveSmallIntegerField(editable=False, help_text='Its color on pages; null means the one derived from its id (courses.colors).', null=True, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(11)]),
        ),
        AddConstraintNotValid(
            model_name='course',
            constraint=models.CheckConstraint(condition=models.Q(('hue__range', (0, 11))), name='course_hue'),
        ),
    ]
