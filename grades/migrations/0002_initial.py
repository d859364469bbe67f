import django.core.validators
import django.db.models.deletion
import django.db.models.functions.text
import django.db.models.lookups
import django.utils.timezone
import studyservice.database.member_keys
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('grades', '0012_category_drop_lowest_valid')]

    initial = True

    dependencies = [
        ('courses', '0002_initial'),
        ('grades', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='GradeScore',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, help_text="The score's id.", primary_key=True, serialize=False)),
                ('label', models.CharField(help_text='What was graded.', max_length=120)),
                ('score', models.DecimalField(decimal_places=4, help_text='Percent.', max_digits=7, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(150)])),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False, help_text='When it was recorded.')),
                ('category', models.ForeignKey(help_text='The category it counts in.', on_delete=django.db.models.deletion.CASCADE, related_name='scores', to='grades.gradecategory')),
                ('member', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to=settings.AUTH_USER_MODEL)),
                ('item', models.ForeignKey(blank=True, help_text='The item that was graded, of the same course; null for none.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='scores', to='courses.item')),
            ],
            options={
                'ordering': ['created_at'],
                'indexes': [models.Index(fields=['member', 'category', 'created_at'], name='score_member_category')],
                'constraints': [models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('label'), (1, 120))), name='gradescore_label'), models.CheckConstraint(condition=models.Q(('score__range', (0, 150))), name='gradescore_score'), studyservice.database.member_keys.MemberForeignKey(field='category', name='grades_gradescore_category_of_member', owner='member'), studyservice.database.member_keys.MemberForeignKey(field='item', name='grades_gradescore_item_of_member', owner='member'), models.UniqueConstraint(condition=models.Q(('item__isnull', False)), fields=('member', 'item'), name='gradescore_item')],
            },
        ),
    ]
