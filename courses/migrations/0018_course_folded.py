from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('courses', '0017_item_category_of_member'),
    ]

    operations = [
        migrations.AddField(
            model_name='course',
            name='folded',
            field=models.TextField(db_default='', default='', editable=False, help_text='The name as it is searched (courses.searching).'),
        ),
    ]
