from django.db import migrations


class Migration(migrations.Migration):
    """Leaves three models to `studyservice`, which takes them over with their tables in its first migration."""

    dependencies = [
        ('accounts', '0034_validate_api_key_refusals'),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.DeleteModel(name='Change'),
                migrations.DeleteModel(name='ChangeObject'),
                migrations.DeleteModel(name='IdempotencyKey'),
            ],
        ),
    ]
