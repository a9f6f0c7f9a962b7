"""Members of the arena and their spans of full membership."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime
from difflib import get_close_matches
from typing import Any, Final, Self

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models, transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Length
from django.utils import timezone
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from foa.addresses import address_of
from foa.history import ChangeHistory
from foa.spelling import compared, sound
from foa.text import date_text, number_in
from members.closures import AccountClosure
from members.federations import FederationField, existing
from members.former import Arrival, FormerName, Names, keep_names, refuse_former
from members.invitations import Invitation
from members.signals import members_added, spans_changed
from members.usernames import UsernameKeyField, composed, fault_in, key_of, mixed_in
from members.words import NameWord, add_names, index_names, searched
from ratings.formats.unseen import unseen
from ratings.rules.rbb.conditions import Span

__all__ = [
    "TITLES",
    "AccountClosure",
    "Arrival",
    "FormerName",
    "FullMembership",
    "Invitation",
    "Member",
    "NameWord",
]

TITLES = ("GM", "IM", "FM", "CM", "WGM", "WIM", "WFM", "WCM", "AGM", "AIM", "AFM", "ACM")
"""Over-the-board titles, then the titles of the arena, highest first."""


_NAMESAKES: Final = 20
"""Maximum number of members with one name and birth year who are still reported as possible duplicates."""


_WORDS_COMPARED: Final = 3_000
_SOUNDING: Final = 12
_SPELLED: Final = 3
_LETTERS_MORE: Final = 2
"""Maximum difference of length between words that are spelled similarly."""
_LIKENESS: Final = 0.75
"""Minimum likeness from 0 to 1, as in difflib: KAMINSKY and KAMINSKI have 0.875."""

_DIGITS_OF_FIDE_IDS: Final = 9
_FEWEST_DIGITS: Final = 4
"""Minimum number of digits for a search by the beginning of a FIDE ID."""


def _fide_ids_beginning_with(number: int) -> Q:
    """Match this FIDE ID and, from four digits on, those that begin with it."""
    found = Q(fide_id=number)
    digits = len(str(number))
    for more in range(1, _DIGITS_OF_FIDE_IDS - digits + 1) if digits >= _FEWEST_DIGITS else ():
        found |= Q(fide_id__range=(number * 10**more, (number + 1) * 10**more - 1))
    return found


def named(text: str) -> Q:
    """Match members whose name or username contains the text, or whose FIDE ID it is."""
    text = text.strip().replace("\x00", "")
    match = Q(name__icontains=text) | Q(username__icontains=text)
    if (number := number_in(text, _DIGITS_OF_FIDE_IDS)) is not None:
        match |= Q(fide_id=number)
    return match


def this_year() -> int:
    """Return the current year (UTC), the latest year of birth."""
    return timezone.now().year


def _alike(word: str) -> list[str]:
    """Return words of names that sound like this folded one, or else up to three that are spelled similarly.

    The latter begin with the same two letters.
    """
    heard = sound(word)
    same = NameWord.objects.filter(sound=heard).order_by("word")
    # A word of signs alone has no sound.
    if heard and (found := _likest(word, same, _SOUNDING)):
        return found
    known = NameWord.objects.beginning_with(word[:2]).annotate(letters=Length("word")).order_by("word")
    near = known.filter(letters__gte=len(word) - _LETTERS_MORE, letters__lte=len(word) + _LETTERS_MORE)
    return _likest(word, near, _SPELLED)


def _likest(word: str, known: QuerySet[NameWord], most: int) -> list[str]:
    """Return those of these words that are spelled most like this one, without the endings of one sex."""
    words: defaultdict[str, list[str]] = defaultdict(list)
    for one in known.values_list("word", flat=True).distinct()[:_WORDS_COMPARED]:
        words[compared(one)].append(one)
    alike = get_close_matches(compared(word), words, n=most, cutoff=_LIKENESS)
    return [one for short in alike for one in words[short]]


class MemberQuerySet(models.QuerySet["Member"]):
    def of_usernames(self, usernames: Iterable[str]) -> Self:
        """Return members with these usernames, ignoring case and Unicode composition."""
        return self.filter(username_key__in={key_of(username) for username in usernames})

    def by_username(self, usernames: Iterable[str]) -> list[tuple[str, Member]]:
        """Return pairs of username and member: the current owner, or else the former one."""
        asked = list(usernames)
        found = [(member.username, member) for member in self.of_usernames(asked)]
        known = {key_of(username) for username, _member in found}
        if missing := [username for username in asked if key_of(username) not in known]:
            former = dict(FormerName.objects.of_usernames(missing).values_list("text", "member"))
            members = self.in_bulk(set(former.values())) if former else {}
            found += [(text, members[member]) for text, member in former.items() if member in members]
        return found

    def called(self, username: str) -> Member | None:
        """Return the member who has or had this username, or None."""
        return self.called_each([username]).get(username)

    def called_each(self, usernames: Iterable[str]) -> dict[str, Member]:
        """Return the members who have or had these usernames, in any case, by username."""
        asked = list(usernames)
        alike: defaultdict[str, list[tuple[str, Member]]] = defaultdict(list)
        for stored, member in self.by_username(asked):
            alike[key_of(stored)].append((stored, member))
        # Older databases may have several that differ only in case.
        return {
            username: min(found, key=lambda one: one[0] != username)[1]
            for username in asked
            if (found := alike.get(key_of(username)))
        }

    def full(self, *, at: datetime) -> Self:
        """Return the full members at a moment (RBB 2.1)."""
        return self.filter(Exists(FullMembership.objects.at(at).filter(member=OuterRef("pk"))))

    def matching(self, text: str) -> Self:
        """Return members with all these words in current or former names, in any order, ignoring accents.

        Words are looked up by their beginnings. Only if that finds nobody, the text is searched anywhere in
        names.
        """
        found = self.beginning_with(text)
        return found if found.order_by().exists() else self.containing(text)

    def beginning_with(self, text: str) -> Self:
        """Return members with words that begin with these, or whose FIDE ID does; indexes answer."""
        lookup = Q()
        for word in searched(text):
            lookup &= Q(pk__in=NameWord.objects.beginning_with(word).values("member"))
        if not lookup:
            return self.none()
        if (number := number_in(text.strip(), _DIGITS_OF_FIDE_IDS)) is not None:
            lookup |= _fide_ids_beginning_with(number)
        return self.filter(lookup)

    def containing(self, text: str) -> Self:
        """Return members with this text anywhere in current or former names."""
        # A separate query: an index can answer a list of keys, but not an OR across two tables.
        former = FormerName.objects.members_matching(text)
        return self.filter(named(text) | Q(pk__in=former) if former else named(text))

    def exactly(self, text: str) -> Self:
        """Return members with this username or FIDE ID, now or formerly."""
        lookup = Q(username_key=key_of(text.strip()))
        if (number := number_in(text.strip(), _DIGITS_OF_FIDE_IDS)) is not None:
            lookup |= Q(fide_id=number)
        return self.filter(lookup)

    def with_words(self, text: str) -> Self:
        """Return members with all these words as they are in current or former names."""
        lookup = Q()
        for word in searched(text):
            lookup &= Q(pk__in=NameWord.objects.filter(word=word).values("member"))
        return self.filter(lookup) if lookup else self.none()

    def resembling(self, text: str) -> Self:
        """Return members with words that sound alike, or else are spelled similarly: “Did you mean …?”."""
        lookup = Q()
        for word in searched(text):
            alike = NameWord.objects.filter(word__in=_alike(word))
            lookup &= Q(pk__in=(alike | NameWord.objects.beginning_with(word)).values("member"))
        return self.filter(lookup) if lookup else self.none()

    def namesakes(self, of: Iterable[Member]) -> list[tuple[Member, Member]]:
        """Return pairs of each of these members with every other one of the same name and birth year.

        Names and years that more than twenty members share are left out, as they mean nothing.
        """
        asked = [one for one in of if one.name and one.birth_year]
        others: defaultdict[tuple[str, int | None], list[Member]] = defaultdict(list)
        if asked:
            names, years = {one.name for one in asked}, {one.birth_year for one in asked}
            for other in self.filter(name__in=names, birth_year__in=years).order_by("pk"):
                others[other.name, other.birth_year].append(other)
        return [
            (one, other)
            for one in asked
            if len(some := others[one.name, one.birth_year]) <= _NAMESAKES
            for other in some
            if other.pk != one.pk
        ]

    def bulk_create(self, objs: Iterable[Member], *args: Any, **kwargs: Any) -> list[Member]:
        """Store new members, and send ``members_added``; raise ValidationError for a former username."""
        new = list(objs)
        refuse_former([one.username for one in new], None)
        with transaction.atomic(savepoint=False):
            created = super().bulk_create(new, *args, **kwargs)
            index_names([one.pk for one in created])
            members_added.send(Member, members=created)
        return created

    def update(self, **kwargs: Any) -> int:
        """Update, and keep former names as a single save does."""
        if not _renames(kwargs):
            return super().update(**kwargs)
        with transaction.atomic():
            before = self._names()
            rows = super().update(**kwargs)
            after = Member.everybody.filter(pk__in=before)._names()
            for member, names in after.items():
                if names.username != before[member].username:
                    refuse_former([names.username], member)
                keep_names(member, before[member], names)
            index_names(after)
        return rows

    update.alters_data = True  # type: ignore[attr-defined]

    def _names(self) -> dict[int, Names]:
        rows = self.order_by().values_list("pk", "username", "name")
        return {pk: Names(username, name) for pk, username, name in rows}


_Members = models.Manager.from_queryset(MemberQuerySet)


class PresentMembers(_Members["Member"]):
    """Manager of all accounts that weren't merged into another one."""

    def get_queryset(self) -> MemberQuerySet:
        """Return the members, without merged accounts."""
        return MemberQuerySet(self.model, using=self._db).filter(merged_into=None)


def _renames(fields: Iterable[str] | None) -> bool:
    """Return whether a save of these fields (None: all) may change a member's username or name."""
    return fields is None or not {"username", "name"}.isdisjoint(fields)


class Member(models.Model):
    """A person registered in the arena."""

    class Sex(models.TextChoices):
        MALE = "M", _("male")
        FEMALE = "F", _("female")

    username = models.CharField(
        _("username"),
        max_length=150,
        unique=True,
        validators=[
            RegexValidator(
                r"\A\S(?:[^\x00-\x1f\x7f]*\S)?\Z",
                _("No control characters, and no spaces at the beginning or end."),
            )
        ],
        help_text=_("Name shown in the arena."),
    )
    # Indexed in Meta: an index here would add a second one for patterns on PostgreSQL, which isn't needed.
    username_key = UsernameKeyField(max_length=450, editable=False, default="")
    name = models.CharField(
        pgettext_lazy("of a person", "name"), max_length=100, blank=True, help_text=_("Last, First")
    )
    fide_id = models.PositiveIntegerField(
        _("FIDE ID"),
        null=True,
        blank=True,
        unique=True,
        validators=[MinValueValidator(1), MaxValueValidator(999_999_999)],
    )
    federation = FederationField(
        _("federation"),
        max_length=3,
        blank=True,
        validators=[existing],
        help_text=_("FIDE’s three-letter code."),
    )
    sex = models.CharField(_("sex"), max_length=1, blank=True, choices=Sex)
    birth_year = models.PositiveSmallIntegerField(
        _("birth year"),
        null=True,
        blank=True,
        validators=[MinValueValidator(1900), MaxValueValidator(this_year)],
    )
    title = models.CharField(
        _("title"), max_length=3, blank=True, choices=[(title, title) for title in TITLES]
    )
    user = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="member",
        verbose_name=_("login"),
        help_text=_("This member’s login, if they have one."),
    )

    hides_birth = models.BooleanField(
        _("birth year and sex hidden"),
        default=False,
        db_default=False,
        editable=False,
        help_text=_("The member doesn’t want them shown publicly."),
    )
    withdrawn_at = models.DateTimeField(
        _("erased at"), null=True, editable=False, help_text=_("The member’s personal data was erased.")
    )
    merged_into = models.ForeignKey(
        "self",
        null=True,
        blank=True,
        editable=False,
        on_delete=models.PROTECT,
        related_name="merged",
        db_index=False,
        verbose_name=_("merged into"),
    )

    objects = PresentMembers()
    everybody = MemberQuerySet.as_manager()
    history = ChangeHistory(excluded_fields=["username_key", "hides_birth", "withdrawn_at"])

    class Meta:
        verbose_name = _("member")
        verbose_name_plural = _("members")
        ordering = ("name", "username", "pk")
        permissions = [
            ("update_member", _("Can update members from a file")),
            ("merge_member", _("Can merge two accounts of the same person")),
            ("erase_member", _("Can erase members’ personal data")),
            ("export_member", _("Can export everything stored about a member")),
            ("invite_member", _("Can invite members to set up a login")),
        ]
        indexes = [
            # Files name members by username. Not unique: databases from before may have clashes (clean()).
            models.Index(fields=["username_key"], name="member_by_username_key"),
            # The members page: browsing in its order.
            models.Index(fields=["name", "username", "id"], name="member_by_name"),
            # The members of a federation; all members sorted by federation.
            models.Index(fields=["federation", "name", "username", "id"], name="member_by_federation"),
            # The holders of a title: few, so a scan by name would read nearly all members.
            models.Index(
                fields=["title", "name", "username", "id"], condition=~Q(title=""), name="member_titled"
            ),
            # Members who hide birth year and sex: few, left out by filters.
            models.Index(fields=["id"], condition=Q(hides_birth=True), name="member_hides_birth"),
            # Accounts merged into a member: few among many.
            models.Index(
                fields=["merged_into"], condition=Q(merged_into__isnull=False), name="member_merged_into"
            ),
        ]

    def __str__(self) -> str:
        return self.name or self.username

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Store the member, former names and search words in one transaction."""
        with transaction.atomic():
            before, renames = None, _renames(kwargs.get("update_fields"))
            if renames:
                stored = Member.everybody.filter(pk=self.pk)._names() if self.pk else {}
                before = stored.get(self.pk)
                if before is None or before.username != self.username:
                    refuse_former([self.username], self.pk)
            is_new = self.pk is None
            super().save(*args, **kwargs)
            after = Names(self.username, self.name)
            if before is not None and after != before:
                keep_names(self.pk, before, after)
            if is_new:
                add_names({self.pk: after})
            elif renames and after != before:
                index_names([self.pk])

    def get_absolute_url(self) -> str:
        return address_of("ratings:profile", self.pk)

    def merged_accounts(self) -> Iterator[Member]:
        """Yield the accounts that were merged into this one, directly or through another."""
        for one in Member.everybody.filter(merged_into=self).order_by("pk"):
            yield one
            yield from one.merged_accounts()

    def doubts(self) -> Iterator[str]:
        """Yield warnings about the names and the birth year, for the user who entered them."""
        for mixed in filter(None, (mixed_in(self.username), mixed_in(self.name))):
            yield str(mixed)
        for _one, other in Member.objects.namesakes([self]):
            text = gettext(
                "“%(username)s” has the same name and birth year. If they are the same person, merge the "
                "accounts."
            )
            yield text % {"username": other.username}

    @property
    def pick_label(self) -> str:
        """Label for choosing a member, which tells namesakes apart."""
        facts = (self.username, self.federation, self.birth_year)
        return f"{self} ({', '.join(str(one) for one in facts if one)})"

    @property
    def pick_name(self) -> str:
        """Key for choosing a member where decisions name them by username."""
        return self.username

    def clean_name(self) -> None:
        """Raise ValidationError if a new name has invisible characters."""
        char = unseen(self.name)
        if char and not Member.everybody.filter(pk=self.pk, name=self.name).exists():
            hidden = _("%(char)s in the name is invisible. Remove it.")
            raise ValidationError({"name": ValidationError(hidden, params={"char": char})})

    def clean(self) -> None:
        """Normalise a new username to NFC and check it; raise ValidationError.

        It has to differ from others in more than case or composition. A new name must have no invisible
        characters. Older values stay valid until they are changed; the audit lists them.
        """
        self.clean_name()
        self.username = composed(self.username)
        others = Member.objects.of_usernames([self.username])
        if any(composed(one.username) == self.username for one in others if one.pk == self.pk):
            return
        if fault := fault_in(self.username):
            raise ValidationError({"username": str(fault)})
        if other := next(
            (one for one in others if one.pk != self.pk and one.username != self.username), None
        ):
            taken = _(
                "The username “%(other)s” belongs to another member, and differs only in capital "
                "letters or accents."
            )
            raise ValidationError({"username": ValidationError(taken, params={"other": other.username})})
        refuse_former([self.username], self.pk)
        if Member.everybody.of_usernames([self.username]).exclude(merged_into=None).exists():
            merged = _(
                "“%(username)s” is the username of an account that was merged into this one. It "
                "already leads here."
            )
            raise ValidationError({"username": ValidationError(merged, params={"username": self.username})})


def member_of(user: Any) -> Member | None:
    """Return the member whose login this is, or None."""
    return getattr(user, "member", None)


def accounts_of(user: Any) -> list[int]:
    """Return the keys of the member whose login this is, and of the accounts that were merged into them."""
    member = member_of(user)
    return [] if member is None else [member.pk, *(one.pk for one in member.merged_accounts())]


class FullMembershipQuerySet(models.QuerySet["FullMembership"]):
    """Queries for full membership (RBB 2.1)."""

    def at(self, moment: datetime) -> Self:
        """Return the spans that contain this moment. NULL end means still a member."""
        return self.filter(Q(full_until=None) | Q(full_until__gt=moment), full_from__lte=moment)

    def spans_of(self, members: Iterable[int]) -> dict[int, list[Span]]:
        """Return the spans of these members in order, by member; an empty list for one without any."""
        spans: dict[int, list[Span]] = {member: [] for member in members}
        rows = self.filter(member__in=list(spans)).order_by("full_from")
        for member, full_from, full_until in rows.values_list("member_id", "full_from", "full_until"):
            spans[member].append((full_from, full_until))
        return spans

    def update(self, **kwargs: Any) -> int:
        """Update under the same condition as a single save."""
        with transaction.atomic():
            before = self._as_they_are()
            rows = super().update(**kwargs)
            spans_changed.send(FullMembership, before=before)
        return rows

    update.alters_data = True  # type: ignore[attr-defined]

    def delete(self) -> tuple[int, dict[str, int]]:
        """Delete under the same condition as a single deletion."""
        with transaction.atomic():
            before = self._as_they_are()
            deleted = super().delete()
            spans_changed.send(FullMembership, before=before)
        return deleted

    delete.alters_data = True  # type: ignore[attr-defined]
    delete.queryset_only = True  # type: ignore[attr-defined]

    def _as_they_are(self) -> list[tuple[int, Span]]:
        """Return member and span of each row."""
        rows = self.order_by().values_list("member_id", "full_from", "full_until")
        return [(member, (full_from, full_until)) for member, full_from, full_until in rows]


class FullMembership(models.Model):
    """Span of full membership from ``full_from`` up to, not including, ``full_until`` (UTC; RBB 2.1)."""

    member = models.ForeignKey(
        # Not indexed: the unique constraint below begins with the member.
        Member,
        on_delete=models.CASCADE,
        related_name="full_memberships",
        db_index=False,
        verbose_name=_("member"),
    )
    full_from = models.DateTimeField(_("full member from"))
    full_until = models.DateTimeField(
        _("until"), null=True, blank=True, help_text=_("Leave blank if they are still a full member.")
    )

    are_compared = False
    """True if the caller compares all spans of the member, such as a form that changes several at once."""

    games_follow = False
    """True if the caller changes the member's games as well: until then, one may be outside its span."""

    objects = FullMembershipQuerySet.as_manager()
    history = ChangeHistory()

    class Meta:
        verbose_name = _("full membership")
        verbose_name_plural = _("full memberships")
        ordering = ("member", "full_from")
        permissions = [
            ("correct_fullmembership", _("Can change full membership and rate the games it covers"))
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(full_until=None) | Q(full_from__lt=F("full_until")),
                name="full_membership_from_before_until",
                violation_error_message=_("Membership must end after it starts."),
            ),
            # Together with clean(): spans of one member don't overlap.
            models.UniqueConstraint(fields=["member", "full_from"], name="full_membership_one_from"),
            models.UniqueConstraint(
                fields=["member"], condition=Q(full_until=None), name="full_membership_one_open_end"
            ),
        ]

    def __str__(self) -> str:
        until = date_text(self.full_until) if self.full_until else "…"
        return f"{date_text(self.full_from)} – {until}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Store the span; refuse one that overlaps another, or leaves a rated game outside membership."""
        with transaction.atomic():
            # Serialises concurrent saves of one member's spans.
            Member.objects.select_for_update(no_key=True).filter(pk=self.member_id).first()
            self.clean()
            before: list[tuple[int, Span]] = []
            if self.pk is not None:
                stored = FullMembership.objects.filter(pk=self.pk)
                before = [one for one in stored._as_they_are() if one != (self.member_id, self.span)]
            super().save(*args, **kwargs)
            if before and not self.games_follow:
                spans_changed.send(FullMembership, before=before)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        """Delete the span, unless that leaves a rated game outside membership."""
        with transaction.atomic():
            before = FullMembership.objects.filter(pk=self.pk)._as_they_are()
            deleted = super().delete(*args, **kwargs)
            if not self.games_follow:
                spans_changed.send(FullMembership, before=before)
        return deleted

    @property
    def span(self) -> Span:
        """First moment of the span, and the first after it (None: open)."""
        return self.full_from, self.full_until

    def clean(self) -> None:
        """Raise ValidationError naming another span of the member that this one overlaps."""
        if self.full_from is None or self.member_id is None or self.are_compared:
            return
        others = FullMembership.objects.filter(
            Q(full_until=None) | Q(full_until__gt=self.full_from), member_id=self.member_id
        ).exclude(pk=self.pk)
        if self.full_until is not None:
            others = others.filter(full_from__lt=self.full_until)
        if other := others.first():
            fault = _("This period overlaps %(other)s. Change one of them.")
            raise ValidationError(fault, params={"other": other})
