import django.core.validators
from decimal import Decimal
from django.db import migrations, models

from studyservice.database.online import AddConstraintNotValid


class Migration(migrations.Migration):

    dependencies = [
        ('grades', '0002_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='gradescore',
            name='points',
            field=models.DecimalField(blank=True, decimal_places=4, help_text='The points it was given as; null if it was a percent.', max_digits=10, null=True, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(150000)]),
        ),
        migrations.AddField(
            model_name='gradescore',
            name='out_of',
            field=models.DecimalField(blank=True, decimal_places=4, help_text='The points that there were; null if it was a percent.', max_digits=10, null=True, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(100000)]),
        ),
        AddConstraintNotValid(
            model_name='gradescore',
            constraint=models.CheckConstraint(condition=models.Q(('points__range', (0, 150000))), name='gradescore_points'),
        ),
        AddConstraintNotValid(
            model_name='gradescore',
            constraint=models.CheckConstraint(condition=models.Q(('out_of__range', (Decimal('0.0001'), 100000))), name='gradescore_out_of'),
        ),
        AddConstraintNotValid(
            model_name='gradescore',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('out_of__isnull', True), ('points__isnull', True)), models.Q(('out_of__isnull', False), ('points__isnull', False)), _connector='OR'), name='gradescore_as_points'),
        ),
    ]
