"""Help and errors in other words; nothing in the database changes."""

import ratings.office.fields
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('members', '0042_name_words'),
        ('ratings', '0042_list_reviews'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterField(
            model_name='historicalopeningrating',
            name='previously_unrated',
            field=models.BooleanField(default=False, help_text='RBB 3.10.3: K = 40 until they have completed 30 rated games.', verbose_name='previously unrated'),
        ),
        migrations.AlterField(
            model_name='openingrating',
            name='previously_unrated',
            field=models.BooleanField(default=False, help_text='RBB 3.10.3: K = 40 until they have completed 30 rated games.', verbose_name='previously unrated'),
        ),
        migrations.AlterField(
            model_name='ratingchange',
            name='reason',
            field=models.PositiveSmallIntegerField(choices=[(1, '3.4 started with an existing rating'), (2, '3.4 not applied: rated before in this category'), (3, '3.15 over-the-board rating change added'), (4, '3.15 not applied: unrated in this category'), (5, '3.9 game between two rated players'), (6, '3.8 opponent unrated: rating not affected'), (7, '3.6.2 both players unrated: does not count'), (8, '3.6.1 loss before the first draw or win: does not count'), (9, '3.6 result counted towards the first rating'), (10, '3.7 first rating reached'), (11, '3.7, 3.2 first rating below the floor of 100: starts again'), (12, '3.3 rating fell below the floor of 100: unrated again')], verbose_name='reason'),
        ),
        migrations.AlterField(
            model_name='ratinglistentry',
            name='earlier_change',
            field=ratings.office.fields.HundredthsField(help_text='What later corrections changed at the moment of the previous list.', null=True, verbose_name='by corrections'),
        ),
        migrations.AlterField(
            model_name='ratinglistentry',
            name='k',
            field=models.PositiveSmallIntegerField(help_text='Of their next game (RBB 3.10).', null=True, verbose_name='K'),
        ),
        migrations.AlterField(
            model_name='ratinglistentry',
            name='previous',
            field=ratings.office.fields.HundredthsField(help_text='On the previous list; empty if they were not on it.', null=True, verbose_name='previous rating'),
        ),
        migrations.AlterField(
            model_name='recalculation',
            name='lines',
            field=models.PositiveIntegerField(help_text='Ledger lines changed.', verbose_name='lines'),
        ),
        migrations.AlterField(
            model_name='recalculation',
            name='since',
            field=models.DateTimeField(help_text='The first event whose ledger line changed.', verbose_name='reaches back to'),
        ),
        migrations.AlterConstraint(
            model_name='game',
            name='game_ends_after_start',
            constraint=models.CheckConstraint(condition=models.Q(('ended_at', None), ('ended_at__gte', models.F('started_at')), _connector='OR'), name='game_ends_after_start', violation_error_message='The end time is before the start time.'),
        ),
        migrations.AlterConstraint(
            model_name='game',
            name='game_result_with_end',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('ended_at', None), ('result', '')), models.Q(('ended_at__isnull', False), models.Q(('result', ''), _negated=True)), _connector='OR'), name='game_result_with_end', violation_error_message='Enter both end time and result, or neither.'),
        ),
        migrations.AlterConstraint(
            model_name='game',
            name='game_result_is_known',
            constraint=models.CheckConstraint(condition=models.Q(('result__in', ('', '1-0', '1/2-1/2', '0-1'))), name='game_result_is_known', violation_error_message='Enter 1-0, 1/2-1/2 or 0-1 as the result.'),
        ),
        migrations.AlterConstraint(
            model_name='game',
            name='game_void_says_why',
            constraint=models.CheckConstraint(condition=models.Q(('voided_at', None), models.Q(('void_reason', ''), _negated=True), _connector='OR'), name='game_void_says_why', violation_error_message='Enter why the game is void.'),
        ),
        migrations.AlterConstraint(
            model_name='openingrating',
            name='opening_rating_floor',
            constraint=models.CheckConstraint(condition=models.Q(('rating__gte', 100)), name='opening_rating_floor', violation_error_message="A rating can't be below the floor of 100.00 (RBB 3.2)."),
        ),
    ]
