import django.db.models.deletion
import django.db.models.functions.text
import django.db.models.lookups
import django.utils.timezone
import studyservice.database.member_keys
import studyservice.database.postgresql.operations
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('grades', '0006_indexes_with_the_member')]

    initial = True

    dependencies = [
        ('courses', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='GradeCategory',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('name', models.CharField(max_length=60)),
                ('weight', models.DecimalField(decimal_places=4, help_text='0 to 100.', max_digits=7)),
                ('position', models.PositiveIntegerField(help_text='Display order, from 1.')),
                ('course', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='grade_categories', to='courses.course')),
                ('member', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name_plural': 'grade categories',
                'ordering': ['position'],
                'indexes': [models.Index(fields=['member', 'course', 'position'], name='category_member_course')],
                'constraints': [models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('name'), (1, 60))), name='gradecategory_name'), models.CheckConstraint(condition=models.Q(('weight__range', (0, 100))), name='gradecategory_weight'), models.CheckConstraint(condition=models.Q(('position__gte', 1)), name='gradecategory_position'), studyservice.database.member_keys.MemberKey(name='grades_gradecategory_of_member', owner='member'), studyservice.database.member_keys.MemberForeignKey(field='course', name='grades_gradecategory_course_of_member', owner='member')],
            },
        ),
        studyservice.database.postgresql.operations.OmitForeignKeyIndex(
            model_name='gradecategory',
            field='course',
        ),
        migrations.CreateModel(
            name='GradeScore',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('label', models.CharField(max_length=120)),
                ('score', models.DecimalField(decimal_places=4, help_text='Percent, 0 to 150.', max_digits=7)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('category', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='scores', to='grades.gradecategory')),
                ('member', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['created_at'],
                'indexes': [models.Index(fields=['member', 'category', 'created_at'], name='score_member_category')],
                'constraints': [models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('label'), (1, 120))), name='gradescore_label'), models.CheckConstraint(condition=models.Q(('score__range', (0, 150))), name='gradescore_score'), studyservice.database.member_keys.MemberForeignKey(field='category', name='grades_gradescore_category_of_member', owner='member')],
            },
        ),
        studyservice.database.postgresql.operations.OmitForeignKeyIndex(
            model_name='gradescore',
            field='category',
        ),
    ]
