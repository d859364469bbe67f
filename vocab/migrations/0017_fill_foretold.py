from django.db import migrations

from vocab.foretold import fill_everybody


def fill(apps, schema_editor):
    """Give attempts and their sums what the review log has of them, some at a time."""
    fill_everybody(
        apps.get_model('accounts', 'Member'), apps.get_model('practice', 'Attempt'), apps.get_model('vocab', 'Review')
    )


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('accounts', '0025_validate_flashcard_settings'),
        ('practice', '0009_validate_foretold'),
        ('vocab', '0016_index_cards_of_today'),
    ]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
