import django.db.models.deletion
import django.db.models.functions.text
import django.db.models.lookups
import django.utils.timezone
import studyservice.database.ids
import studyservice.database.member_keys
from django.conf import settings
from django.db import migrations, models

from studyservice.database.online import RunOnPostgresql


class Migration(migrations.Migration):

    replaces = [('courses', '0019_fill_items')]

    initial = True

    dependencies = [
        ('courses', '0001_initial'),
        ('grades', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Item',
            fields=[
                ('id', models.UUIDField(default=studyservice.database.ids.uuid7, editable=False, help_text="The item's id.", primary_key=True, serialize=False)),
                ('title', models.CharField(help_text='What is due.', max_length=160)),
                ('kind', models.CharField(choices=[('exam', 'Exam'), ('quiz', 'Quiz'), ('assignment', 'Assignment'), ('lab', 'Lab'), ('paper', 'Paper'), ('project', 'Project'), ('other', 'Other')], default='other', help_text='What sort of item it is.', max_length=16)),
                ('due_on', models.DateField(blank=True, help_text='Due date; null means undated.', null=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False, help_text='When the item was added; for polling.')),
                ('updated_at', models.DateTimeField(default=django.utils.timezone.now, editable=False, help_text='When the item was last changed.')),
                ('course', models.ForeignKey(db_index=False, help_text="The item's course.", on_delete=django.db.models.deletion.CASCADE, related_name='items', to='courses.course')),
                ('member', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to=settings.AUTH_USER_MODEL)),
                ('sequence', models.IntegerField(db_default=0, default=0, editable=False, help_text='Counts changes that calendar apps must see (SEQUENCE).')),
                ('category', models.ForeignKey(blank=True, help_text='The grade category it counts in, of the same course; null for none.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='items', to='grades.gradecategory')),
                ('done', models.BooleanField(db_default=False, default=False, help_text='Whether the member has done it or handed it in.')),
                ('done_at', models.DateTimeField(blank=True, editable=False, help_text='When it was marked as done; null while it is not.', null=True)),
                ('folded', models.TextField(db_default='', default='', editable=False, help_text='Title and note as they are searched (courses.item_rows).')),
                ('graded', models.BooleanField(db_default=False, default=False, editable=False, help_text='Whether a score names it; kept by grades.marks.')),
                ('marked_at', models.DateTimeField(blank=True, editable=False, help_text='When a score last came to it or left it.', null=True)),
                ('missable_from', models.DateField(db_default=models.Func(output_field=models.DateField(), template='CURRENT_DATE'), default=django.utils.timezone.localdate, editable=False, help_text="The member's date when it was made; what was due before is never missed.")),
                ('note', models.CharField(blank=True, help_text='What else to know about it.', max_length=2000, null=True)),
            ],
            options={
                'indexes': [models.Index(fields=['member', 'due_on', 'created_at', 'id'], name='item_member_due'), models.Index(fields=['member', 'created_at'], name='item_member_age'), models.Index(fields=['course', 'due_on', 'created_at', 'id'], name='item_course_due'), models.Index(condition=models.Q(('category__isnull', False)), fields=['member', 'category'], name='item_member_category')],
                'constraints': [models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('title'), (1, 160))), name='item_title'), models.CheckConstraint(condition=models.Q(('kind__in', ['exam', 'quiz', 'assignment', 'lab', 'paper', 'project', 'other'])), name='item_kind'), models.CheckConstraint(condition=models.Q(('sequence__gte', 0)), name='item_sequence'), studyservice.database.member_keys.MemberKey(name='courses_item_of_member', owner='member'), studyservice.database.member_keys.MemberForeignKey(field='course', name='courses_item_course_of_member', owner='member'), models.CheckConstraint(condition=models.Q(models.Q(('done', True), ('done_at__isnull', False)), models.Q(('done', False), ('done_at__isnull', True)), _connector='OR'), name='item_done'), models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('note'), (1, 2000))), name='item_note'), studyservice.database.member_keys.MemberForeignKey(field='category', name='courses_item_category_of_member', owner='member')],
            },
        ),
        # Otherwise the planner considers the course independent of the member, expects hardly a row, and sorts.
        RunOnPostgresql(
            "CREATE STATISTICS courses_item_course_id_known (dependencies) ON member_id, course_id FROM courses_item",
            "DROP STATISTICS courses_item_course_id_known",
        ),
    ]
