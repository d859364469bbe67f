from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('planning', '0011_describe_columns'),
    ]

    operations = [
        migrations.AddField(
            model_name='milestone',
            name='folded',
            field=models.TextField(db_default='', default='', editable=False, help_text='The title as it is searched (planning.searching).'),
        ),
    ]
