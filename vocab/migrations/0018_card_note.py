from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('vocab', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='card',
            name='note',
            field=models.UUIDField(editable=False, help_text='Cards of one note, such as the gaps of a text, have the same; null for others.', null=True),
        ),
    ]
