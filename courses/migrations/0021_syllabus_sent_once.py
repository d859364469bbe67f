from django.db import migrations, models

from studyservice.database.online import AddUniqueConcurrently, RemoveUniqueConcurrently


class Migration(migrations.Migration):
    # An index is built and dropped while others write.
    atomic = False

    dependencies = [
        ('courses', '0020_syllabus_sender'),
    ]

    operations = [
        AddUniqueConcurrently(
            model_name='syllabusfile',
            constraint=models.UniqueConstraint(condition=models.Q(('course', None)), fields=('member', 'sha256', 'sent_by'), name='syllabusfile_sent'),
        ),
        RemoveUniqueConcurrently(
            model_name='syllabusfile',
            name='syllabusfile_unattached',
        ),
    ]
