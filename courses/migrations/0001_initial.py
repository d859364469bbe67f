import courses.models
import django.core.validators
import django.db.models.deletion
import django.db.models.functions.text
import django.db.models.lookups
import django.utils.timezone
import studyservice.database.member_keys
import uuid
from django.conf import settings
from django.db import migrations, models

from studyservice.database.online import RunOnPostgresql


class Migration(migrations.Migration):

    replaces = [('courses', '0018_course_folded')]

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Course',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, help_text="The course's id.", primary_key=True, serialize=False)),
                ('name', models.CharField(help_text="The course's name.", max_length=120)),
                ('code', models.CharField(blank=True, help_text='Course number.', max_length=20, null=True)),
                ('term', models.CharField(default='Fall semester', help_text='When the course runs.', max_length=60)),
                ('meets', models.CharField(blank=True, help_text='When the class meets.', max_length=120, null=True)),
                ('institution', models.CharField(blank=True, help_text='School or university.', max_length=120, null=True)),
                ('subject', models.CharField(blank=True, help_text='Field of study.', max_length=80, null=True)),
                ('syllabus_text', models.TextField(blank=True, help_text='The whole text of the syllabus, up to 500,000 characters.', null=True, validators=[django.core.validators.MaxLengthValidator(500000)])),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False, help_text='When the course was created.')),
                ('updated_at', models.DateTimeField(default=django.utils.timezone.now, editable=False, help_text='When the course was last changed.')),
                ('member', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='courses', to=settings.AUTH_USER_MODEL)),
                ('item_count', models.PositiveSmallIntegerField(db_default=0, default=0, editable=False, help_text='How many items it has; kept by courses.item_counts.')),
                ('folded', models.TextField(db_default='', default='', editable=False, help_text='The name as it is searched (courses.item_rows).')),
            ],
            options={
                'ordering': ['created_at', 'id'],
                'indexes': [models.Index(fields=['member', 'created_at', 'id'], name='course_member_age')],
                'constraints': [models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('name'), (1, 120))), name='course_name'), models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('code'), (1, 20))), name='course_code'), models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('term'), (1, 60))), name='course_term'), models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('meets'), (1, 120))), name='course_meets'), models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('institution'), (1, 120))), name='course_institution'), models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('subject'), (1, 80))), name='course_subject'), models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('syllabus_text'), (1, 500000))), name='course_syllabus_text'), studyservice.database.member_keys.MemberKey(name='courses_course_of_member', owner='member')],
            },
        ),
        migrations.CreateModel(
            name='SyllabusFile',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, help_text="The file's id; create_course and update_course take it as syllabus_id.", primary_key=True, serialize=False)),
                ('file', courses.models.StoredFileField(upload_to=courses.models.syllabus_path)),
                ('filename', models.CharField(help_text='Its name, without a path.', max_length=255)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False, help_text='When it was uploaded.')),
                ('course', models.ForeignKey(blank=True, help_text='The course it is attached to; null for none yet.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='syllabus_files', to='courses.course')),
                ('member', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to=settings.AUTH_USER_MODEL)),
                ('characters', models.PositiveIntegerField(default=0, help_text='Characters of its text; 0 where none was read.')),
                ('compared_with_id', models.UUIDField(blank=True, editable=False, help_text='The course that its proposal is compared with; may be gone.', null=True)),
                ('expires_at', models.DateTimeField(blank=True, editable=False, help_text='When it goes, 24 hours after the upload; null once it is attached to a course.', null=True)),
                ('media_type', models.CharField(help_text='Its type, by its content.', max_length=100)),
                ('pages', models.PositiveSmallIntegerField(blank=True, help_text='Pages of a PDF that was read.', null=True)),
                ('sha256', models.CharField(help_text='Of its bytes, in hexadecimal.', max_length=64)),
                ('size', models.PositiveIntegerField(help_text='Its bytes.')),
                ('text', models.TextField(blank=True, null=True)),
                ('text_status', models.CharField(choices=[('read', 'read'), ('no_text', 'no_text'), ('too_large', 'too_large'), ('unreadable', 'unreadable')], help_text='read; no_text: it has none, as a scan; too_large: over 100 pages or 500,000 characters; unreadable: encrypted, broken, or too much work to read.', max_length=16)),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('course', None)), fields=['expires_at'], name='syllabusfile_expiry')],
                'constraints': [models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('filename'), (1, 255))), name='syllabusfile_filename'), models.UniqueConstraint(condition=models.Q(('course', None)), fields=('member', 'sha256'), name='syllabusfile_unattached'), models.CheckConstraint(condition=models.Q(models.Q(('course', None), ('expires_at__isnull', False)), models.Q(('course__isnull', False), ('expires_at', None)), _connector='OR'), name='syllabusfile_expires_at'), models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('media_type'), (1, 100))), name='syllabusfile_media_type'), models.CheckConstraint(condition=models.Q(('size__gte', 0)), name='syllabusfile_size'), models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('sha256'), (64, 64))), name='syllabusfile_sha256'), models.CheckConstraint(condition=models.Q(('text_status__in', ['read', 'no_text', 'too_large', 'unreadable'])), name='syllabusfile_text_status'), models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('text'), (1, 500000))), name='syllabusfile_text'), models.CheckConstraint(condition=models.Q(('characters__range', (0, 500000))), name='syllabusfile_characters'), models.CheckConstraint(condition=models.Q(('pages__range', (0, 100))), name='syllabusfile_pages'), studyservice.database.member_keys.MemberForeignKey(field='course', name='courses_syllabusfile_course_of_member', owner='member')],
                'permissions': (('read_syllabusfile', 'Can read what is in a syllabus file'),),
            },
        ),
        # No index of it begins with the member.
        RunOnPostgresql("CREATE INDEX courses_syllabusfile_course_id_0d79787f ON courses_syllabusfile (course_id)", "DROP INDEX courses_syllabusfile_course_id_0d79787f"),
    ]
