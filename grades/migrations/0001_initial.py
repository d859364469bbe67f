import django.core.validators
import django.db.models.deletion
import django.db.models.functions.text
import django.db.models.lookups
import studyservice.database.member_keys
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('grades', '0011_category_drop_lowest')]

    initial = True

    dependencies = [
        ('courses', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='GradeCategory',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, help_text="The category's id.", primary_key=True, serialize=False)),
                ('name', models.CharField(help_text="The category's name.", max_length=60)),
                ('weight', models.DecimalField(decimal_places=4, help_text='Its weight.', max_digits=7, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(100)])),
                ('position', models.PositiveIntegerField(help_text='Display order, from 1.')),
                ('course', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='grade_categories', to='courses.course')),
                ('member', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to=settings.AUTH_USER_MODEL)),
                ('drop_lowest', models.SmallIntegerField(db_default=0, default=0, help_text='How many of its lowest scores do not count; at least one score always counts.', validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(20)])),
            ],
            options={
                'verbose_name_plural': 'grade categories',
                'ordering': ['position'],
                'indexes': [models.Index(fields=['member', 'course', 'position'], name='category_member_course')],
                'constraints': [models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('name'), (1, 60))), name='gradecategory_name'), models.CheckConstraint(condition=models.Q(('weight__range', (0, 100))), name='gradecategory_weight'), models.CheckConstraint(condition=models.Q(('position__gte', 1)), name='gradecategory_position'), studyservice.database.member_keys.MemberKey(name='grades_gradecategory_of_member', owner='member'), studyservice.database.member_keys.MemberForeignKey(field='course', name='grades_gradecategory_course_of_member', owner='member'), models.CheckConstraint(condition=models.Q(('drop_lowest__range', (0, 20))), name='gradecategory_drop_lowest')],
            },
        ),
    ]
