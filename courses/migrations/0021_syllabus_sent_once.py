from django.db import migrations, models

from studyservice.database.postgresql.operations import AddUniqueAside, DropUniqueAside


class Migration(migrations.Migration):
    # An index is built and dropped while others write.
    atomic = False

    dependencies = [
        ('courses', '0020_syllabus_sender'),
    ]

    operations = [
        AddUniqueAside(
            model_name='syllabusfile',
            constraint=models.UniqueConstraint(condition=models.Q(('course', None)), fields=('member', 'sha256', 'sent_by'), name='syllabusfile_sent'),
        ),
        DropUniqueAside(
            model_name='syllabusfile',
            name='syllabusfile_unattached',
        ),
    ]
