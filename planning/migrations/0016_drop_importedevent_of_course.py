from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('planning', '0015_importedevent_of_calendar'),
    ]

    operations = [
        migrations.RemoveConstraint(model_name='importedevent', name='importedevent_of_course'),
    ]
