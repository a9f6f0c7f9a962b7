"""Search of members by beginnings of words in their names, in any order and without accents."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, Final, TypeVar

from django.apps import apps
from django.db import models, transaction
from django.db.models import signals
from django.dispatch import receiver
from django.utils.translation import gettext_lazy as _

from foa.spelling import latin, sound
from ratings.formats.frl.writing import in_ascii

AT_ONCE: Final = 1_000
"""Number of members whose words are written together."""

_LONGEST: Final = 150
_MOST: Final = 8
"""Maximum number of words of a search that count."""

_NAMES_READ: Final = 2_000

_Row = TypeVar("_Row", bound=models.Model)

# django-stubs make the values of fields known to generic bases only.
_CharField: Any = models.CharField


class WordField(_CharField):  # type: ignore[misc]  # of type Any, see above
    """Text ordered by bytes on every database, so that an index finds beginnings of words."""

    def db_parameters(self, connection: Any) -> Any:
        """Set the collation C on PostgreSQL; SQLite orders by bytes anyway."""
        parameters = super().db_parameters(connection)
        if connection.vendor == "postgresql":
            parameters["collation"] = "C"
        return parameters


class NameWordQuerySet(models.QuerySet["NameWord"]):
    """Queries for words."""

    def beginning_with(self, word: str) -> NameWordQuerySet:
        """Return words that begin with this folded word."""
        return self.filter(word__gte=word, word__lt=word + "\U0010ffff")


class NameWord(models.Model):
    """Word of a member's current or former name or username, and its sound. Derived, never edited.

    Words that an earlier version wrote have no sound until :func:`index_words_of_before` has run.
    """

    member = models.ForeignKey(
        "members.Member", on_delete=models.CASCADE, related_name="+", verbose_name=_("member")
    )
    word = WordField(_("word"), max_length=_LONGEST)
    sound = WordField(_("sound"), max_length=_LONGEST, null=True)

    objects = NameWordQuerySet.as_manager()

    class Meta:
        verbose_name = _("word of a name")
        verbose_name_plural = _("words of names")
        # Not shown in the admin.
        default_permissions = ()
        indexes = [
            # A search looks up beginnings of words, and reads members from the index alone.
            models.Index(fields=["word", "member"], name="name_word_of_member"),
            # Names that are spelled differently and sound alike.
            models.Index(fields=["sound", "word"], name="name_word_by_sound"),
        ]

    def __str__(self) -> str:
        return self.word


@receiver(
    (signals.post_save, signals.post_delete), sender="members.FormerName", dispatch_uid="members.index_former"
)
def index_former(instance: Any, raw: bool = False, **kwargs: Any) -> None:
    """Update the member's words when a former name is saved or deleted."""
    if not raw:
        index_names([instance.member_id])


def words_of(*texts: str) -> list[str]:
    """Return the folded words of names: those between signs, and each part between spaces as a whole."""
    found: dict[str, None] = {}
    for text in texts:
        for part in text.split():
            whole = part.strip(",;.")
            for word in (whole, *re.findall(r"[^\W_]+", whole)):
                if word:
                    found[folded(word)[:_LONGEST]] = None
    return list(found)


def searched(text: str) -> list[str]:
    """Return the folded words of a search, without duplicates."""
    parts = (part.strip(",;.") for part in text.replace("\x00", "").split())
    return list(dict.fromkeys(folded(part)[:_LONGEST] for part in parts if part))[:_MOST]


def has_words(name: str, text: str) -> bool:
    """Return whether each word of a search begins a word of this name."""
    words = words_of(name)
    return all(any(word.startswith(one) for word in words) for one in searched(text))


def with_words(queryset: models.QuerySet[_Row], text: str, column: str = "name") -> models.QuerySet[_Row]:
    """Filter a small queryset by a search in its names, in any order and without accents.

    By the beginnings of words; only if that finds nothing, anywhere in the names.
    """
    names = list(queryset.order_by().values_list("pk", column))
    found = [key for key, name in names if has_words(name, text)]
    anywhere = searched(text)
    return queryset.filter(
        pk__in=found or [key for key, name in names if all(one in folded(name) for one in anywhere)]
    )


def with_words_anywhere(
    queryset: models.QuerySet[_Row], text: str, column: str = "name"
) -> models.QuerySet[_Row]:
    """Filter a queryset by a search in its names: all these words, anywhere in them.

    The database looks for them as they are. Only if it finds none, the first 2000 names are read, and accents
    and alphabets ignored.
    """
    lookup = models.Q()
    for part in text.split()[:_MOST]:
        lookup &= models.Q(**{f"{column}__icontains": part})
    found = queryset.filter(lookup)
    if found.exists():
        return found
    words = searched(text)
    names = queryset.values_list("pk", column)[:_NAMES_READ]
    keys = [key for key, name in names if all(word in folded(name) for word in words)]
    return queryset.filter(pk__in=keys) if words else queryset.none()


def folded(word: str) -> str:
    """Return a word in Latin capitals without accents; letters that are neither Latin nor Cyrillic stay."""
    word = latin(word)
    ascii_ = in_ascii(word)
    if "?" in ascii_ and "?" not in word:
        apart = unicodedata.normalize("NFKD", word)
        ascii_ = "".join(letter for letter in apart if not unicodedata.combining(letter))
    return ascii_.upper()


def index_names(members: Iterable[int]) -> None:
    """Rewrite the words of these members from their current and former names."""
    everybody = apps.get_model("members", "Member")._base_manager
    former_names = apps.get_model("members", "FormerName")._base_manager
    keys = iter(members)
    while some := list(islice(keys, AT_ONCE)):
        called: dict[int, list[str]] = {}
        rows = everybody.filter(pk__in=some).order_by()
        for key, username, name in rows.values_list("pk", "username", "name"):
            called[key] = [username, name]
        former = former_names.filter(member__in=list(called)).order_by("pk")
        for key, text in former.values_list("member", "text"):
            called[key].append(text)
        with transaction.atomic(savepoint=False):
            NameWord.objects.filter(member__in=some).delete()
            add_names(called)


def index_words_of_before() -> None:
    """Rewrite the words of members for whom an earlier version wrote them, some members at a time."""
    everybody = apps.get_model("members", "Member")._base_manager
    without = NameWord.objects.filter(sound=None).values_list("member", flat=True)
    while some := set(without[:AT_ONCE]):
        with transaction.atomic():
            # A name that is changed meanwhile waits, and is indexed after this.
            list(everybody.filter(pk__in=some).order_by("pk").select_for_update().values_list("pk"))
            index_names(some)


def add_names(called: Mapping[int, Iterable[str]]) -> None:
    """Write the words of members who have none yet, from all their names."""
    NameWord.objects.bulk_create(
        [
            NameWord(member_id=key, word=word, sound=sound(word)[:_LONGEST])
            for key, texts in sorted(called.items())
            for word in words_of(*texts)
        ],
        batch_size=AT_ONCE,
    )
