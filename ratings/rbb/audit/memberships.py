"""RBB 2.1: the audit of full membership, and of members who may be the same person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from operator import attrgetter
from typing import Any, Final

from django.db.models import Exists, F, OuterRef, Q
from django.db.models.functions import Lower
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from members.former import FormerName
from members.models import AccountClosure, FullMembership, Member
from members.usernames import composed, fault_in, mixed_in
from ratings.formats.unseen import unseen
from ratings.office.audit import Finding, audited
from ratings.rbb.audit.games import AT_ONCE, each, of_game
from ratings.rbb.decisions.games import lacking_parameters
from ratings.rbb.decisions.memberships import span_texts
from ratings.rbb.models import Game, Rating
from ratings.rules.rbb.conditions import NOT_FULL, Account, Span, not_full

_PLAIN: Final = "^[ -~]*$"
"""A text without hidden characters."""

_OUTSIDE: Final = dict(
    zip(
        NOT_FULL,
        (
            gettext_noop("%(game)s, started %(moment)s: rated, but %(white)s was not a full member then."),
            gettext_noop("%(game)s, started %(moment)s: rated, but %(black)s was not a full member then."),
            gettext_noop("%(game)s, started %(moment)s: rated, but neither player was a full member then."),
        ),
        strict=True,
    )
)


@audited("games-outside-membership", "RBB 2.1", _("Rated games outside full membership"))
def games_outside_membership() -> Iterator[Finding]:
    """Find rated games that started when a player wasn't a full member. Void ones don't count."""
    for game in each(Game.objects.outside_membership()):
        spans = FullMembership.objects.spans_of((game.white_id, game.black_id))
        lacking = not_full(game.started_at, white=spans[game.white_id], black=spans[game.black_id])
        why = "; ".join(map(str, lacking))
        mends = ("unrate-games", lacking_parameters([(game, why)]))
        players = {"white": str(game.white), "black": str(game.black)}
        yield of_game(game, _OUTSIDE[why], players, mends=mends)


@audited(
    "games-of-closed-accounts", "RBB 2.1", _("Games that count although a closed account makes them void")
)
def games_of_closed_accounts() -> Iterator[Finding]:
    """Find rated games that a closure covers by its dates and opponents. Void ones don't count."""
    text = gettext_noop(
        "%(game)s, started %(moment)s: counts, but the closed account of %(player)s makes it void."
    )
    counting = Game.objects.filter(voided_at=None)
    for closure in AccountClosure.objects.select_related("member").order_by("pk"):
        for game in counting.taken_out_by(closure, closure.opponents.values_list("pk", flat=True)):
            mends = ("void-games", {"game": [str(game.pk)]})
            yield of_game(game, text, {"player": str(closure.member)}, mends=mends)


@audited("games-kept-unrated", "RBB 2.1", _("Games kept unrated for lack of a full membership that is there"))
def games_kept_unrated() -> Iterator[Finding]:
    """Find games unrated only for lack of full membership, although both players were full members."""
    text = gettext_noop("%(game)s, started %(moment)s: unrated, though both players were full members then.")
    for game in each(Game.objects.kept_unrated().covered()):
        full = Account([(game.started_at, None)])
        if not game.unmet_conditions({game.white_id: full, game.black_id: full}):
            yield of_game(game, text, mends=("rate-games", {"game": [str(game.pk)]}))


@audited("memberships-overlap", "RBB 2.1", _("Spans of full membership that overlap"))
def memberships_overlap() -> Iterator[Finding]:
    """Find members with two spans at once. The decision that mends it joins overlapping spans."""
    spans = FullMembership.objects
    others = spans.filter(
        Q(full_until=None) | Q(full_until__gt=OuterRef("full_from")),
        member=OuterRef("member"),
        full_from__lte=OuterRef("full_from"),
    ).exclude(pk=OuterRef("pk"))
    overlapping = spans.filter(Exists(others)).order_by().values("member")
    members = Member.objects.filter(pk__in=overlapping).order_by("pk")
    text = gettext_noop("%(member)s (%(username)s): spans of full membership overlap: %(spans)s.")
    for member in members.iterator(AT_ONCE):
        held = spans.spans_of([member.pk])[member.pk]
        asked = {"member": [str(member.pk)], "span": span_texts(_joined(held)), "rate_games": ["on"]}
        words = {
            "member": str(member),
            "username": member.username,
            "spans": ", ".join(span_texts(held)),
        }
        yield _of_member(member, text, words, mends=("change-membership", asked))


@audited("members-with-one-name", "RBB 3.4", _("Members of the same name and birth year"))
def members_with_one_name() -> Iterator[Finding]:
    """Find members who may be one person, with first ratings twice. Accept those who aren't."""
    text = gettext_noop("%(usernames)s: the same name, %(name)s, and birth year, %(year)s.")
    members = Member.objects.exclude(name="").filter(birth_year__isnull=False)
    for some in _alike(members, Lower("name"), F("birth_year")):
        words = {"name": some[0].name, "year": str(some[0].birth_year)}
        yield _of_member(some[0], text, {"usernames": _usernames(some), **words})


@audited("usernames-alike", "RBB 3.4", _("Usernames that differ only in case or composition"))
def usernames_alike() -> Iterator[Finding]:
    """Find usernames that people and files can't tell apart.

    They differ only in case, or in how accents are composed.
    """
    text = gettext_noop(
        "%(usernames)s: these usernames differ only in capital letters, or in how accents are composed."
    )
    for some in _alike(Member.objects, F("username_key")):
        yield _of_member(some[0], text, {"usernames": _usernames(some)})


@audited("usernames-former", "RBB 3.4", _("Usernames that lead to another member, who had them"))
def usernames_former() -> Iterator[Finding]:
    """Find usernames that still lead to a former holder, which two simultaneous changes can cause."""
    text = gettext_noop("%(member)s: the username %(username)s was that of %(other)s and leads to them.")
    members = Member.objects
    former = FormerName.objects.filter(username_key__in=members.values("username_key"))
    for one in former.select_related("member").order_by("pk"):
        for member in members.of_usernames([one.text]).exclude(pk=one.member_id):
            words = {"member": str(member), "username": member.username, "other": str(one.member)}
            yield _of_member(member, text, words)


@audited("accounts-merged", "RBB 3.1", _("Ratings of accounts that were merged into another"))
def accounts_merged() -> Iterator[Finding]:
    """Find ratings that arrived for an account while it was being merged.

    Take the merge back, and merge again.
    """
    text = gettext_noop("%(member)s was merged into %(into)s and has a rating in %(category)s.")
    ratings = Rating.objects.exclude(member__merged_into=None)
    for one in ratings.select_related("member__merged_into").order_by("pk"):
        words = {
            "member": one.member.username,
            "into": str(one.member.merged_into),
            "category": one.category.slug,
        }
        yield Finding(f"rating {one.pk}", text, words, one.member.get_absolute_url())


@audited("usernames-unseen", "RBB 3.4", _("Usernames that nobody could take today, or not in NFC"))
def usernames_unseen() -> Iterator[Finding]:
    """Find usernames from before the office checked them. Saving the member in the admin composes accents."""
    hidden = gettext_noop("%(member)s: the username %(username)s has %(char)s, which can't be seen.")
    apart = gettext_noop("%(member)s: the accents of the username %(username)s aren't composed (NFC).")
    plain = Q(username__regex=_PLAIN) & Q(username__regex="[A-Za-z0-9]")
    slashed = Q(username__contains="/") | Q(username__contains="\\")
    members = Member.objects.filter(~plain | slashed).order_by("pk")
    for member in members.iterator(AT_ONCE):
        words = {"member": str(member), "username": member.username, "char": unseen(member.username)}
        if words["char"]:
            yield _of_member(member, hidden, words)
        elif fault := fault_in(member.username):
            yield _of_member(member, *fault)
        elif composed(member.username) != member.username:
            yield _of_member(member, apart, words)


@audited("names-misleading", "RBB 3.4", _("Names that may look like another one"))
def names_misleading() -> Iterator[Finding]:
    """Find words with letters of several alphabets, and names with invisible characters."""
    hidden = gettext_noop("%(member)s: the name has %(char)s, which can't be seen.")
    plain = Q(username__regex=_PLAIN, name__regex=_PLAIN)
    for member in Member.objects.exclude(plain).order_by("pk").iterator(AT_ONCE):
        link = member.get_absolute_url()
        if char := unseen(member.name):
            words = {"member": member.username, "char": char}
            yield Finding(f"member {member.pk} name", hidden, words, link)
        mixed = filter(None, (mixed_in(member.username), mixed_in(member.name)))
        for word, fault in {fault.words["word"]: fault for fault in mixed}.items():
            yield Finding(f"member {member.pk} {word}", *fault, link)


def _of_member(member: Member, text: str, words: Mapping[str, str], mends: Any = None) -> Finding:
    return Finding(f"member {member.pk}", text, words, member.get_absolute_url(), mends)


def _usernames(members: list[Member]) -> str:
    return ", ".join(one.username for one in members)


def _alike(members: Any, *what: Any) -> Iterator[list[Member]]:
    """Yield the groups of members for whom the database gives equal values."""
    names = [f"same{number}" for number in range(len(what))]
    rows = members.annotate(**dict(zip(names, what, strict=True))).order_by(*names, "pk")
    for _same, group in groupby(rows.iterator(AT_ONCE), attrgetter(*names)):
        some = list(group)
        if len(some) > 1:
            yield some


def _joined(spans: list[Span]) -> list[Span]:
    """Return the spans in order of their beginnings, with overlapping ones joined."""
    joined: list[Span] = []
    for begin, end in spans:
        if joined and ((last := joined[-1][1]) is None or begin < last):
            end = None if last is None or end is None else max(last, end)
            joined[-1] = joined[-1][0], end
        else:
            joined.append((begin, end))
    return joined
