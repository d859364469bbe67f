"""The desired retention moves from a table of its own to the member."""

from django.db import migrations
from django.db.models import OuterRef, Subquery


def move_to_members(apps, schema_editor):
    goals = apps.get_model('vocab', 'RetentionGoal').objects
    members = apps.get_model('accounts', 'Member').objects
    goal = goals.filter(member=OuterRef('pk')).values('desired_retention')
    members.filter(pk__in=goals.values('member')).update(desired_retention=Subquery(goal))


def move_back(apps, schema_editor):
    RetentionGoal = apps.get_model('vocab', 'RetentionGoal')
    members = apps.get_model('accounts', 'Member').objects.exclude(desired_retention=0.9)
    RetentionGoal.objects.bulk_create(
        (
            RetentionGoal(member_id=pk, desired_retention=retention)
            for pk, retention in members.values_list('pk', 'desired_retention').iterator()
        ),
        batch_size=1000,
    )


class Migration(migrations.Migration):
    dependencies = [
        ('accounts', '0009_desired_retention'),
        ('vocab', '0008_validate_review_actors'),
    ]

    operations = [
        migrations.RunPython(move_to_members, move_back),
        migrations.DeleteModel('RetentionGoal'),
    ]
