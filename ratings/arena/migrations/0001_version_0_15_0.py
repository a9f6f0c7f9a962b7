"""Game servers, presence and webhooks, as version 0.15.0 had them."""

import django.core.validators
import django.db.models.deletion
import ratings.arena.models
import ratings.arena.models
import ratings.arena.targets
from django.conf import settings
from django.db import migrations, models

from ratings.office.roles import grant


class Migration(migrations.Migration):

    replaces = [
        ('arena', '0001_initial'),
        ('arena', '0002_rights'),
        ('arena', '0003_presence'),
        ('arena', '0004_rights_presence'),
        ('arena', '0005_webhooks'),
        ('arena', '0006_rights_of_webhooks'),
        ('arena', '0007_what_trusted_servers_void'),
        ('arena', '0008_answered_once'),
    ]

    initial = True

    dependencies = [
        ('office', '0001_version_0_15_0'),
        ('ratings', '0001_version_0_15_0'),
        migrations.swappable_dependency(settings.OAUTH2_PROVIDER_APPLICATION_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='GameServer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(help_text="The server’s games are identified by this name and their own ID, such as "
                              "arena/4711.", max_length=50, unique=True, validators=[django.core.validators.RegexValidator('\\A[a-z0-9][a-z0-9-]*\\Z', "Lowercase letters, digits and hyphens.")], verbose_name='name')),
                ('trusted', models.BooleanField(default=False, help_text="A trusted server may edit members’ details and void its own games "
                              "immediately, even if ratings change.", verbose_name='trusted')),
                ('scopes', models.JSONField(default=ratings.arena.models.all_scopes, help_text="What the server’s tokens can be used for.", verbose_name='scopes')),
                ('is_active', models.BooleanField(default=True, help_text="An inactive server can’t use the API.", verbose_name='active')),
                ('added_at', models.DateTimeField(auto_now_add=True, verbose_name='added at')),
                ('application', models.OneToOneField(editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='gameserver', to=settings.OAUTH2_PROVIDER_APPLICATION_MODEL, verbose_name='client')),
            ],
            options={
                'verbose_name': 'game server',
                'verbose_name_plural': 'game servers',
                'ordering': ('name',),
            },
        ),
        migrations.CreateModel(
            name='SentEnd',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('rated', models.BooleanField(verbose_name='rated')),
                ('unrated_reason', models.CharField(blank=True, max_length=255, verbose_name="why it is unrated")),
                ('result', models.CharField(blank=True, choices=[('1-0', '1-0'), ('1/2-1/2', '½-½'), ('0-1', '0-1')], max_length=7, verbose_name='result')),
                ('termination', models.CharField(max_length=64, verbose_name='termination')),
                ('ended_at', models.DateTimeField(null=True, verbose_name='ended at')),
                ('game', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='sent_end', to='ratings.game', verbose_name='game')),
            ],
            options={
                'verbose_name': 'reported end',
                'verbose_name_plural': 'reported ends',
            },
        ),
        migrations.CreateModel(
            name='Webhook',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('url', models.CharField(help_text='It must begin with https:// and lead to a public address.', max_length=500, validators=[ratings.arena.targets.check_target], verbose_name='address')),
                ('events', models.JSONField(validators=[ratings.arena.models.check_events], verbose_name='events')),
                ('is_active', models.BooleanField(default=True, help_text="An inactive webhook gets no messages, and none are kept for later.", verbose_name='active')),
                ('stopped_because', models.CharField(blank=True, editable=False, max_length=200, verbose_name='reason for stopping')),
                ('secret', models.CharField(editable=False, max_length=100)),
                ('previous_secret', models.CharField(blank=True, editable=False, max_length=100)),
                ('previous_until', models.DateTimeField(editable=False, null=True, verbose_name='previous secret valid until')),
                ('earlier_secrets', models.JSONField(db_default=[], default=list, editable=False)),
                ('position', models.BigIntegerField(editable=False, verbose_name='position')),
                ('created_at', models.DateTimeField(editable=False, verbose_name='created at')),
                ('server', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='webhooks', to='arena.gameserver', verbose_name='server')),
            ],
            options={
                'verbose_name': 'webhook',
                'verbose_name_plural': 'webhooks',
                'ordering': ('pk',),
            },
        ),
        migrations.CreateModel(
            name='Delivery',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('message_id', models.CharField(max_length=40, unique=True, verbose_name='message ID')),
                ('event', models.CharField(max_length=32, verbose_name='event')),
                ('body', models.TextField(verbose_name='message')),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('delivered', 'Delivered'), ('dead', 'Given up')], default='waiting', max_length=9, verbose_name='state')),
                ('attempts', models.PositiveSmallIntegerField(default=0, verbose_name='attempts')),
                ('next_attempt_at', models.DateTimeField(null=True, verbose_name='next attempt')),
                ('last_error', models.CharField(blank=True, max_length=200, verbose_name='last error')),
                ('created_at', models.DateTimeField(verbose_name='created at')),
                ('entry', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='office.outboxentry', verbose_name='outbox entry')),
                ('webhook', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='arena.webhook', verbose_name='webhook')),
            ],
            options={
                'verbose_name': 'webhook delivery',
                'verbose_name_plural': 'webhook deliveries',
                'ordering': ('-pk',),
                'permissions': [('send_delivery', 'Can send webhook deliveries again')],
                'indexes': [
                    models.Index(condition=models.Q(('state', 'waiting')), fields=['next_attempt_at', 'id'], name='delivery_waiting'),
                    models.Index(fields=['created_at'], name='delivery_created_at'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('webhook', 'entry'), name='delivery_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Attempt',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(verbose_name='at')),
                ('status', models.PositiveSmallIntegerField(null=True, verbose_name='status')),
                ('error', models.CharField(blank=True, max_length=200, verbose_name='error')),
                ('milliseconds', models.PositiveIntegerField(verbose_name='milliseconds')),
                ('answer', models.CharField(blank=True, help_text='Start of the response.', max_length=500, verbose_name='response')),
                ('delivery', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='tries', to='arena.delivery', verbose_name='delivery')),
            ],
            options={
                'verbose_name': 'webhook attempt',
                'verbose_name_plural': 'webhook attempts',
                'ordering': ('pk',),
            },
        ),
        migrations.CreateModel(
            name='KeptAnswer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=100)),
                ('request', models.CharField(help_text='The SHA-256 of method, address and body.', max_length=64)),
                ('body', models.JSONField()),
                ('at', models.DateTimeField()),
                ('server', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='arena.gameserver')),
            ],
            options={
                'verbose_name': 'stored response',
                'verbose_name_plural': 'stored responses',
                'default_permissions': (),
                'constraints': [models.UniqueConstraint(fields=('server', 'key'), name='kept_answer_once')],
            },
        ),
        migrations.CreateModel(
            name='PresenceEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('sequence', models.PositiveIntegerField(validators=[django.core.validators.MinValueValidator(1)], verbose_name='sequence')),
                ('player', models.CharField(choices=[('white', 'White'), ('black', 'Black')], max_length=5, verbose_name='player')),
                ('what', models.CharField(choices=[('gone', 'gone'), ('back', 'back')], max_length=4, verbose_name='what')),
                ('at', models.DateTimeField(help_text="By the server’s clock.", verbose_name='at')),
                ('received_at', models.DateTimeField(help_text="By our clock.", verbose_name='received at')),
                ('game', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='presence', to='ratings.game', verbose_name='game')),
            ],
            options={
                'verbose_name': 'presence event',
                'verbose_name_plural': 'presence events',
                'ordering': ('game', 'sequence'),
                'indexes': [models.Index(fields=['received_at'], name='presence_received')],
                'constraints': [models.UniqueConstraint(fields=('game', 'sequence'), name='presence_unique'), models.CheckConstraint(condition=models.Q(('player__in', ('white', 'black'))), name='presence_player_is_known'), models.CheckConstraint(condition=models.Q(('what__in', ('gone', 'back'))), name='presence_what_is_known')],
            },
        ),
        grant('arena'),
    ]
