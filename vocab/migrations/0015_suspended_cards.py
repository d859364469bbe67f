from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('vocab', '0014_describe_columns'),
    ]

    operations = [
        migrations.AddField(
            model_name='card',
            name='suspended',
            field=models.BooleanField(db_default=False, default=False, help_text='Whether it is set aside: not asked, counted as due or new, or planned until this is lifted.'),
        ),
    ]
