from django.db import migrations

from studyservice.database.online import ValidateConstraint


class Migration(migrations.Migration):

    dependencies = [
        ('grades', '0013_score_points'),
    ]

    operations = [
        ValidateConstraint('gradescore', name='gradescore_points'),
        ValidateConstraint('gradescore', name='gradescore_out_of'),
        ValidateConstraint('gradescore', name='gradescore_as_points'),
    ]
