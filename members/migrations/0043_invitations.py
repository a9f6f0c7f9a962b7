"""Invitations by mail, and members who hide their birth year and sex."""

import django.db.models.deletion
from django.db import migrations, models

from ratings.office.rights import grant


class Migration(migrations.Migration):

    dependencies = [
        ('members', '0042_name_words'),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='member',
            options={'ordering': ('name', 'username', 'pk'), 'permissions': [('update_member', 'Can update members from a file'), ('merge_member', 'Can merge two accounts of one person'), ('erase_member', 'Can erase the person behind an account'), ('export_member', 'Can hand out all that is stored of a member'), ('invite_member', 'Can invite members to make a login')], 'verbose_name': 'member', 'verbose_name_plural': 'members'},
        ),
        migrations.AddField(
            model_name='member',
            name='hides_birth',
            field=models.BooleanField(db_default=False, default=False, editable=False, help_text='The member wants them on no public page.', verbose_name='birth year and sex hidden'),
        ),
        migrations.AddIndex(
            model_name='member',
            index=models.Index(condition=models.Q(('hides_birth', True)), fields=['id'], name='member_hides_birth'),
        ),
        migrations.CreateModel(
            name='Invitation',
            fields=[
                ('member', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='invitation', serialize=False, to='members.member', verbose_name='member')),
                ('email', models.EmailField(max_length=254, verbose_name='e-mail address')),
                ('language', models.CharField(choices=[('en', 'English'), ('pl', 'Polski')], max_length=10, verbose_name='language')),
                ('at', models.DateTimeField(verbose_name='at')),
                ('by', models.CharField(help_text='A login, a command or a game server.', max_length=160, verbose_name='by')),
            ],
            options={
                'verbose_name': 'invitation',
                'verbose_name_plural': 'invitations',
                'default_permissions': (),
                'indexes': [models.Index(fields=['email', 'at'], name='invitation_to_address'), models.Index(fields=['by', 'at'], name='invitation_by')],
            },
        ),
        grant("members", {"Rating officers": ("invite_member",), "Registrars": ("invite_member",)}),
    ]
