from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0028_api_key_limits'),
    ]

    operations = [
        migrations.AddField(
            model_name='change',
            name='course_id',
            field=models.UUIDField(help_text='The course of the object; empty if it has none, or unknown.', null=True),
        ),
        migrations.AddField(
            model_name='change',
            name='courses',
            field=models.TextField(db_default='', default='', help_text='Further courses that it touched, apart by spaces; a hyphen for what belongs to no course.'),
        ),
        migrations.AddField(
            model_name='change',
            name='grades',
            field=models.BooleanField(db_default=False, default=False, help_text='Whether it is about grades.'),
        ),
    ]
