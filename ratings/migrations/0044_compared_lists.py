"""How many lines of a published list later corrections changed is kept beside it."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('ratings', '0043_words'),
    ]

    operations = [
        migrations.AddField(
            model_name='listreview',
            name='differing',
            field=models.PositiveIntegerField(null=True, verbose_name='differing lines'),
        ),
        migrations.AddField(
            model_name='listreview',
            name='last_recalculation',
            field=models.BigIntegerField(null=True, verbose_name='last recalculation'),
        ),
    ]
