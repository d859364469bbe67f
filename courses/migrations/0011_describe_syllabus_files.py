import hashlib

from django.db import migrations

_CHUNK = 65_536


def describe(apps, schema_editor):
    """Size and hash of the files that operators have attached; their text is read when an operator asks for it."""
    for row in apps.get_model('courses', 'SyllabusFile').objects.filter(size=0).defer('text').iterator(chunk_size=100):
        digest, size = hashlib.sha256(), 0
        if row.file.storage.exists(row.file.name):
            with row.file.open('rb') as file:
                while chunk := file.read(_CHUNK):
                    digest.update(chunk)
                    size += len(chunk)
        row.size, row.sha256 = size, digest.hexdigest()
        row.save(update_fields=['size', 'sha256'])


def forget_unattached(apps, schema_editor):
    """Before this every file belonged to a course; `purgeexpired` removes the bytes of the others once it is back."""
    apps.get_model('courses', 'SyllabusFile').objects.filter(course=None).delete()


class Migration(migrations.Migration):

    dependencies = [
        ('courses', '0010_syllabus_files'),
    ]

    operations = [
        migrations.RunPython(describe, forget_unattached),
    ]
