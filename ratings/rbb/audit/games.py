"""The audit of games and openings as entered, and of full membership (RBB 2.1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta
from functools import reduce
from itertools import groupby
from operator import attrgetter, or_
from typing import Any, Final

from django.db.models import Count, Exists, F, OuterRef, Q
from django.db.models.functions import Lower
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from foa.text import duration, points, utc_text
from members.former import FormerName
from members.models import AccountClosure, FullMembership, Member
from members.usernames import composed, fault_in, mixed_in
from ratings.formats.pgn_entry import last_position
from ratings.formats.pgn_rated import CASUAL
from ratings.formats.problems import shown
from ratings.formats.unseen import unseen
from ratings.office.audit import Finding, audited
from ratings.office.models import AuditedCheck, AuditFinding
from ratings.rbb.decisions.games import lacking_parameters
from ratings.rbb.decisions.memberships import span_texts
from ratings.rbb.ledger.plausibility import early_openings, long_games, overlapping_games
from ratings.rbb.models import Game, Rating, TimeControl
from ratings.rbb.models.games import CLOCK_AHEAD
from ratings.rbb.same_game import TURNED_CASUAL, id_key, ids_alike, pairs_likely_same
from ratings.rules.rbb.conditions import LOST, NOT_FULL, PLAYED, Account, Span, not_full
from ratings.rules.rbb.plausibility import Doubt, longest
from ratings.rules.rbb.terminations import (
    POSSIBLE,
    ContradictsError,
    Termination,
    contradiction_of_moves,
    contradiction_of_word,
    termination_of,
)
from ratings.rules.time_controls import category_of

AT_ONCE: Final = 2_000
"""Number of rows that a check reads together."""

_UNMET: Final = gettext_noop("%(game)s, started %(moment)s: rated, but %(why)s.")
_FUTURE: Final = gettext_noop("%(game)s starts on %(moment)s, which is in the future.")
_TWICE: Final = gettext_noop("%(game)s, started %(moment)s, is stored more than once: games %(keys)s.")
_CASUAL: Final = gettext_noop(
    "%(game)s, started %(moment)s, is rated, but game %(key)s, probably another report of the same game, "
    "is marked unrated by its server or file."
)
_ALIKE: Final = gettext_noop(
    "%(game)s, started %(moment)s: games %(keys)s have IDs that look the same: %(ids)s."
)
_TOO_LONG: Final = gettext_noop(
    "%(game)s, started %(moment)s, lasted %(lasted)s, but at %(control)s a game can last at most %(longest)s."
)
_FORGOTTEN: Final = gettext_noop(
    "%(game)s, started %(moment)s, has no result, but at %(control)s a game can last at most %(longest)s."
)
_OVERLAP: Final = gettext_noop(
    "%(game)s, started %(moment)s, overlaps another rated game of %(player)s: %(other)s."
)
_EARLY: Final = {
    Doubt.BEFORE_MEMBERSHIP: gettext_noop(
        "%(player)s has a first rating of %(rating)s from %(day)s, but was first a full member on %(first)s."
    ),
    Doubt.NEVER_A_MEMBER: gettext_noop(
        "%(player)s has a first rating of %(rating)s from %(day)s, but was never a full member."
    ),
}


@audited(
    "games-not-played",
    "RBB 2.4",
    _("Rated games that weren’t played, or that a player who was gone for over 60 seconds didn’t lose"),
)
def games_not_played() -> Iterator[Finding]:
    """RBB 2.4, B.02 5.1: find games without a move by each side, not known as played, or won wrongly."""
    lost = reduce(or_, (Q(termination=gone) & ~Q(result=result) for gone, (result, _text) in LOST.items()))
    return _unmet(Q(plies__lt=2) | ~Q(termination__in=sorted(PLAYED)) | (lost & ~Q(result="")))


@audited("games-of-impossible-ends", "FIDE Laws 5", _("Rated games whose result contradicts how they ended"))
def games_of_impossible_ends() -> Iterator[Finding]:
    """Find results that the word for the end rules out: stalemate with a winner, a drawn checkmate."""
    by_end = reduce(or_, (Q(termination=end) & ~Q(result__in=some) for end, (some, _law) in POSSIBLE.items()))
    for game in each(Game.objects.counting().filter(by_end)):
        if found := contradiction_of_word(game.termination, game.result):
            yield of_game(game, _UNMET, {"why": str(found)}, **_void(game))


_LAST_POSITIONS: Final = "games-of-other-last-positions"


@audited(_LAST_POSITIONS, "FIDE Laws 5", _("Rated games whose result contradicts the final position"))
def games_of_other_last_positions() -> Iterator[Finding]:
    """Play stored games through, half a millisecond each: first all, in later audits only changed ones.

    Games that contradict themselves are refused on entry, so only older ones can be found here.
    """
    games: Any = Game.objects.counting().exclude(pgn="").order_by("pk")
    made = AuditedCheck.objects.filter(name=_LAST_POSITIONS).first()
    if made is not None:
        before = AuditFinding.objects.filter(check_name=_LAST_POSITIONS)
        keys = [int(key.removeprefix("game ")) for key in before.values_list("key", flat=True)]
        changed = Game.history.filter(history_date__gte=made.looked_at).values("id")
        since = made.looked_at - timedelta(days=1)
        games = games.filter(Q(ended_at__gte=since) | Q(pk__in=changed) | Q(pk__in=keys))
    for key, pgn, result, end in games.values_list("pk", "pgn", "result", "termination").iterator(AT_ONCE):
        last = last_position(pgn)
        if last and (found := contradiction_of_moves(end, result, last)):
            game = Game.objects.with_names().defer("pgn").get(pk=key)
            yield of_game(game, _UNMET, {"why": str(found)}, **_void(game))


@audited("games-of-other-controls", "RBB 2.3", _("Rated games at time controls that are not rated"))
def games_of_other_controls() -> Iterator[Finding]:
    """RBB 2.3: find them by look-up, regardless of what is stored for the time control."""
    controls = TimeControl.objects.all()
    return _unmet(Q(time_control__in=[one.pk for one in controls if category_of(one.control) is None]))


@audited("games-stored-twice", "RBB 3.11", _("Rated games that are probably stored twice"))
def games_stored_twice() -> Iterator[Finding]:
    """Find games with two ids about which nobody was asked. The decision that mends it voids the later ones.

    These are found where a game became rated after it was stored, or was stored by an earlier version.
    """
    of_first: dict[int, list[int]] = {}
    doubles: dict[int, int] = {}
    games: Any = Game.objects
    for first, second in sorted(pairs_likely_same(games.counting())):
        first = doubles.setdefault(second, doubles.get(first, first))
        of_first.setdefault(first, []).append(second)
    for key, others in of_first.items():
        found = {one.pk: one for one in games.filter(pk__in=[key, *others]).with_names().defer("pgn")}
        left = sorted({pk for pk in others if found[pk].possibly_same_id is None})
        if left:
            keys = [str(pk) for pk in left]
            words = {**_words(found[key]), "keys": ", ".join([str(key), *keys])}
            yield Finding(
                f"game {key}", _TWICE, words, found[key].get_absolute_url(), ("void-games", {"game": keys})
            )


@audited("games-rated-and-casual", "RBB 2", _("Rated games that are unrated in another report"))
def games_rated_and_casual() -> Iterator[Finding]:
    """Find them whichever report came first. A person has to say which of the two is right.

    When the rated report comes second, somebody is asked at once whether it is the same game.
    """
    games: Any = Game.objects
    casual = games.filter(
        rated=False, ended_at__isnull=False, voided_at=None, unrated_reason__in=("", CASUAL, TURNED_CASUAL)
    )
    for pair in sorted(pairs_likely_same(games.counting() | casual)):
        one, other = sorted(games.with_names().defer("pgn").filter(pk__in=pair), key=attrgetter("rated"))
        if (one.rated, other.rated) == (False, True) and other.possibly_same_id != one.pk:
            yield of_game(other, _CASUAL, {"key": str(one.pk)})


@audited("games-with-ids-alike", "RBB 3.11", _("Rated games whose IDs look the same"))
def games_with_ids_alike() -> Iterator[Finding]:
    """Find ids that differ only in case, width or invisible characters: perhaps one game, twice.

    A person has to check: some servers give two games ids that differ only in case.
    """
    games: Any = Game.objects.counting().exclude(external_id=None).order_by()
    alike = games.values(lower=Lower("external_id")).annotate(number=Count("pk")).filter(number__gt=1)
    keys = {id_key(lower) for lower in alike.values_list("lower", flat=True)}
    others: dict[str, list[str]] = {}
    for one in games.filter(external_id__regex="[^ -~]").values_list("external_id", flat=True):
        others.setdefault(id_key(one), []).append(one)
    in_ascii = ids_alike(Game, keys | others.keys())
    for key in sorted(keys | others.keys()):
        ids = {*others.get(key, ()), *in_ascii.get(key, ())}
        found = list(games.filter(external_id__in=ids).with_names().defer("pgn").order_by("pk"))
        if len(found) > 1:
            words = {
                "keys": ", ".join(str(one.pk) for one in found),
                "ids": ", ".join(shown(one.external_id) for one in found),
            }
            yield of_game(found[0], _ALIKE, words)


@audited("games-of-the-future", "RBB 3.11", _("Games that start in the future"))
def games_of_the_future() -> Iterator[Finding]:
    """Find games, in progress or finished, that start later than a server's clock may be ahead."""
    games = Game.objects.filter(started_at__gt=timezone.now() + CLOCK_AHEAD, voided_at=None)
    for game in each(games):
        yield of_game(game, _FUTURE, **_void(game))


@audited("games-too-long", "RBB 2.3", _("Rated games that lasted longer than their time control allows"))
def games_too_long() -> Iterator[Finding]:
    """Find games longer than both starting times, the increments and a tolerance."""
    for game, _doubt, words, _key in long_games():
        yield of_game(game, _TOO_LONG, words)


@audited("games-forgotten", "RBB 2.3", _("Games in progress for longer than their time control allows"))
def games_forgotten() -> Iterator[Finding]:
    """Find games whose end nobody has reported."""
    for game in each(Game.objects.forgotten(timezone.now())):
        control = game.time_control.control
        words = {"control": str(control), "longest": duration(longest(control, None))}
        yield of_game(game, _FORGOTTEN, words)


@audited("games-at-the-same-time", "RBB 3.11", _("Rated games of one player that overlap"))
def games_at_the_same_time() -> Iterator[Finding]:
    """Find games that began before the same player's earlier game had ended."""
    for game, _doubt, words, key in overlapping_games():
        yield of_game(game, _OVERLAP, words, key=key)


@audited("openings-before-membership", "RBB 3.4", _("First ratings dated before full membership"))
def openings_before_membership() -> Iterator[Finding]:
    """Find starting ratings that take effect before the first day of full membership."""
    for opening, doubt, words, key in early_openings():
        address = reverse("admin:ratings_openingrating_change", args=(opening.pk,))
        yield Finding(key, _EARLY[doubt], {**words, "rating": points(opening.rating)}, address)


def each(games: Any) -> Iterator[Any]:
    """Yield games for findings in the order of their keys, some at a time."""
    return games.with_names().defer("pgn").order_by("pk").iterator(AT_ONCE)  # type: ignore[no-any-return]


def _unmet(condition: Q) -> Iterator[Finding]:
    """Find rated games that break section 2, apart from membership. Voiding them mends it."""
    for game in each(Game.objects.filter(condition, rated=True, voided_at=None)):
        full = Account([(game.started_at, None)])
        game.termination_word = game.termination_word or game.termination
        game.termination = _meant(game)
        if unmet := game.unmet_conditions({game.white_id: full, game.black_id: full}):
            yield of_game(game, _UNMET, {"why": "; ".join(map(str, unmet))}, **_void(game))


def _meant(game: Game) -> Termination:
    """Return the meaning of the stored word, even if it isn't one of the office's."""
    try:
        return termination_of(game.termination, game.result, game.plies)
    except ContradictsError:
        return Termination.UNKNOWN


def _void(game: Game) -> dict[str, Any]:
    return {"mends": ("void-games", {"game": [str(game.pk)]})}


def _words(game: Game) -> dict[str, str]:
    return {"game": str(game), "moment": utc_text(game.started_at)}


def of_game(game: Any, text: str, words: Any = None, *, key: str = "", mends: Any = None) -> Finding:
    """Return a finding about a game, with its name and start in the words."""
    return Finding(
        key or f"game {game.pk}", text, {**_words(game), **(words or {})}, game.get_absolute_url(), mends
    )


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


@audited("games-of-closed-accounts", "RBB 2.1", _("Games that should be void because an account was closed"))
def games_of_closed_accounts() -> Iterator[Finding]:
    """Find rated games that a closure covers by its dates and opponents. Void ones don't count."""
    text = gettext_noop(
        "%(game)s, started %(moment)s: counts, but should be void because %(player)s’s account was closed."
    )
    counting = Game.objects.filter(voided_at=None)
    for closure in AccountClosure.objects.select_related("member").order_by("pk"):
        for game in counting.taken_out_by(closure, closure.opponents.values_list("pk", flat=True)):
            mends = ("void-games", {"game": [str(game.pk)]})
            yield of_game(game, text, {"player": str(closure.member)}, mends=mends)


@audited("games-kept-unrated", "RBB 2.1", _("Games kept unrated although both players were full members"))
def games_kept_unrated() -> Iterator[Finding]:
    """Find games unrated only for lack of full membership, although both players were full members."""
    text = gettext_noop("%(game)s, started %(moment)s: unrated, though both players were full members then.")
    for game in each(Game.objects.kept_unrated().covered()):
        full = Account([(game.started_at, None)])
        if not game.unmet_conditions({game.white_id: full, game.black_id: full}):
            yield of_game(game, text, mends=("rate-games", {"game": [str(game.pk)]}))


@audited("memberships-overlap", "RBB 2.1", _("Periods of full membership that overlap"))
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
    text = gettext_noop("%(member)s (%(username)s): periods of full membership overlap: %(spans)s.")
    for member in members.iterator(AT_ONCE):
        held = spans.spans_of([member.pk])[member.pk]
        asked = {"member": [str(member.pk)], "span": span_texts(_joined(held)), "rate_games": ["on"]}
        words = {
            "member": str(member),
            "username": member.username,
            "spans": ", ".join(span_texts(held)),
        }
        yield _of_member(member, text, words, mends=("change-membership", asked))


@audited("members-with-one-name", "RBB 3.4", _("Members with the same name and birth year"))
def members_with_one_name() -> Iterator[Finding]:
    """Find members who may be one person, with first ratings twice. Accept those who aren't."""
    text = gettext_noop("%(usernames)s: the same name (%(name)s) and birth year (%(year)s).")
    members = Member.objects.exclude(name="").filter(birth_year__isnull=False)
    for some in _alike(members, Lower("name"), F("birth_year")):
        words = {"name": some[0].name, "year": str(some[0].birth_year)}
        yield _of_member(some[0], text, {"usernames": _usernames(some), **words})


@audited("usernames-alike", "RBB 3.4", _("Usernames that differ only in capital letters or accents"))
def usernames_alike() -> Iterator[Finding]:
    """Find usernames that people and files can't tell apart.

    They differ only in case, or in how accents are composed.
    """
    text = gettext_noop(
        "%(usernames)s: these usernames differ only in capital letters, or in how their accents are stored."
    )
    for some in _alike(Member.objects, F("username_key")):
        yield _of_member(some[0], text, {"usernames": _usernames(some)})


@audited("usernames-former", "RBB 3.4", _("Usernames that still lead to a member who used to have them"))
def usernames_former() -> Iterator[Finding]:
    """Find usernames that still lead to a former holder, which two simultaneous changes can cause."""
    text = gettext_noop(
        "%(member)s: the username %(username)s used to belong to %(other)s, and still leads to them."
    )
    members = Member.objects
    former = FormerName.objects.filter(username_key__in=members.values("username_key"))
    for one in former.select_related("member").order_by("pk"):
        for member in members.of_usernames([one.text]).exclude(pk=one.member_id):
            words = {"member": str(member), "username": member.username, "other": str(one.member)}
            yield _of_member(member, text, words)


@audited("accounts-merged", "RBB 3.1", _("Merged accounts that still have ratings"))
def accounts_merged() -> Iterator[Finding]:
    """Find ratings that arrived for an account while it was being merged.

    Reverse the merge, and merge again.
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


@audited("usernames-unseen", "RBB 3.4", _("Usernames that wouldn’t be allowed today, or aren’t in NFC"))
def usernames_unseen() -> Iterator[Finding]:
    """Find usernames from before the office checked them. Saving the member in the admin composes accents."""
    hidden = gettext_noop("%(member)s: the username %(username)s has %(char)s, which is invisible.")
    apart = gettext_noop(
        "%(member)s: the username %(username)s has accents stored as separate characters (not NFC)."
    )
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


@audited("names-misleading", "RBB 3.4", _("Names that may look like other names"))
def names_misleading() -> Iterator[Finding]:
    """Find words with letters of several alphabets, and names with invisible characters."""
    hidden = gettext_noop("%(member)s: the name has %(char)s, which is invisible.")
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
