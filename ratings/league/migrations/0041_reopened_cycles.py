"""A cycle that was closed by mistake can be opened again; its list says since when it is withdrawn."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('league', '0040_find_withdrawn'),
    ]

    operations = [
        migrations.AddField(
            model_name='cyclelist',
            name='reopened_at',
            field=models.DateTimeField(editable=False, null=True, verbose_name='withdrawn at'),
        ),
    ]
