"""How a game ended, in the office's words; what other word there was is kept beside it."""

from django.db import migrations, models
from django.db.models import F

from ratings.rules.rbb.terminations import ContradictsError, Termination, termination_of

_AT_ONCE = 10_000
_CHOICES = [
    ("checkmate", "checkmate"),
    ("resignation", "resignation"),
    ("time", "time"),
    ("stalemate", "stalemate"),
    ("repetition", "repetition"),
    ("fifty moves", "fifty moves"),
    ("insufficient material", "insufficient material"),
    ("agreement", "agreement"),
    ("adjudication", "adjudication"),
    ("disconnection white", "disconnection of White"),
    ("disconnection black", "disconnection of Black"),
    ("disconnection both", "disconnection of both"),
    ("rules infraction", "rules infraction"),
    ("normal", "normal"),
    ("no-show", "no-show"),
    ("aborted", "aborted"),
    ("forfeit", "forfeit"),
    ("bye", "bye"),
    ("unknown", "unknown"),
]


def _meant(word, result, plies):
    try:
        return termination_of(word, result, plies)
    except ContradictsError:
        return Termination.UNKNOWN


def name_terminations(apps, schema_editor):
    """No rating moves: a game stays rated whatever its word means, and the audit finds those that shouldn't."""
    for model in ("Game", "HistoricalGame"):
        rows = apps.get_model("ratings", model)._base_manager.using(schema_editor.connection.alias)
        others = rows.exclude(termination__in=list(Termination)).exclude(termination="").order_by("pk")
        last = 0
        while some := list(
            others.filter(pk__gt=last).values_list("pk", "termination", "result", "plies")[:_AT_ONCE]
        ):
            last = some[-1][0]
            meant = {}
            for pk, word, result, plies in some:
                meant.setdefault(_meant(word, result, plies), []).append(pk)
            for termination, keys in meant.items():
                rows.filter(pk__in=keys).update(
                    termination=termination.value, termination_word=F("termination")
                )


def give_words_back(apps, schema_editor):
    """As they were."""
    for model in ("Game", "HistoricalGame"):
        rows = apps.get_model("ratings", model)._base_manager.using(schema_editor.connection.alias)
        rows.exclude(termination_word="").update(termination=F("termination_word"))


class Migration(migrations.Migration):

    dependencies = [("ratings", "0011_publications")]

    operations = [
        *(
            operation
            for model in ("game", "historicalgame")
            for operation in (
                migrations.AddField(
                    model_name=model,
                    name="termination_word",
                    field=models.CharField(
                        blank=True,
                        default="",
                        db_default="",
                        editable=False,
                        help_text="What the file says of the end, where that isn't the office's word.",
                        max_length=64,
                        verbose_name="termination, in other words",
                    ),
                ),
                migrations.AlterField(
                    model_name=model,
                    name="termination",
                    field=models.CharField(
                        choices=_CHOICES,
                        default="normal",
                        help_text="How it ended.",
                        max_length=64,
                        verbose_name="termination",
                    ),
                ),
            )
        ),
        migrations.RunPython(name_terminations, give_words_back),
    ]
