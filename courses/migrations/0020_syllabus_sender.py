import uuid

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('courses', '0002_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='syllabusfile',
            name='sent_by',
            field=models.UUIDField(db_default=uuid.UUID('00000000-0000-0000-0000-000000000000'), default=uuid.UUID('00000000-0000-0000-0000-000000000000'), editable=False, help_text='The credential that sent it, if that is limited to courses: others like it do not see the file.'),
        ),
    ]
