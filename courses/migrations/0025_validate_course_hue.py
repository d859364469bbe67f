from django.db import migrations

from studyservice.database.online import ValidateConstraint


class Migration(migrations.Migration):

    dependencies = [
        ('courses', '0024_course_hue'),
    ]

    operations = [ValidateConstraint('course', name='course_hue')]
