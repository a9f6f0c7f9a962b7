"""Merging of members themselves and of the inputs of their ratings.

Ledger and ratings follow from these by the replay at the end. Anything published or past keeps naming the
account it was about.
"""

from __future__ import annotations

from typing import Any, Final

from django.core.exceptions import ValidationError
from django.db.models import Q
from django.utils.translation import gettext as _

from foa.history import note_changes
from members.former import FormerName
from members.importing import FACTS
from members.models import Member
from members.usernames import key_of
from ratings.office.merging import AT_ONCE, MergedRows, Merging, Moving, merges, moves, stays
from ratings.rbb.merging.rows import delete_with_all, restore
from ratings.rbb.models import Game

SAME_PERSON: Final = "White and Black are the same person"
"""Reason why a game is unrated whose two players were merged. Members see it, like texts from files."""

# Projections: the replay rewrites them.
stays("ratings.RatingChange.member", "ratings.RatingChange.opponent", "ratings.Rating.member")
# Publications and records of corrections keep the names they were made with.
stays(
    "ratings.RatingListEntry.member",
    "ratings.RecalculatedLine.member",
    "ratings.RecalculatedLine.opponent",
    "ratings.LateLine.member",
    "members.Member.merged_into",
    "members.Merge.other",
    # They can no longer be accepted.
    "members.Invitation.member",
    # They are derived from names, and are rewritten at the end.
    "members.NameWord.member",
)
moves("ratings.RatingList.requested_by")


@merges
class People(MergedRows):
    """Facts about two members: those that only the other account has pass to the remaining member."""

    place = 10

    def merge(self, work: Merging) -> Any:
        """Return the values that moved, and the other account's own."""
        member, other = work.member, work.other
        if member.fide_id and other.fide_id:
            told = _("They have different FIDE IDs: %(one)s (%(member)s) and %(two)s (%(other)s).")
            words = {"one": member.fide_id, "two": other.fide_id, "member": member, "other": other}
            raise ValidationError(told % words)
        taken = {}
        for name in FACTS:
            mine, theirs = getattr(member, name), getattr(other, name)
            label = f"{member}: {Member._meta.get_field(name).verbose_name}"  # type: ignore[union-attr]
            if theirs and not mine:
                taken[name] = theirs
                work.tell("inputs", f"{member.username} {name}", label, after=str(theirs))
            elif theirs and mine != theirs and name != "name":
                text = _("%(what)s: %(mine)s stays; the other account has %(theirs)s.")
                work.warn(name, text % {"what": label, "mine": mine, "theirs": theirs}, f"{mine} {theirs}")
        logins = {"member": member.user_id, "other": other.user_id}
        if other.user_id is not None:
            if member.user_id is None:
                taken["user_id"] = other.user_id
                text = _("The login of the other account becomes theirs.")
            else:
                text = _(
                    "Both have a login. The other account's login won't be linked to a"
                    " member unless the merge is taken back."
                )
            work.warn("login", text)
        work.tell(
            "inputs",
            f"{other.username} merged",
            _("%(other)s (%(username)s) becomes part of") % {"other": other, "username": other.username},
            after=member.username,
        )
        kept = {"taken": taken, "logins": logins, "fide_id": other.fide_id}
        # Change the other account first: two members can't have the same FIDE ID or login.
        _set(work, other, fide_id=None, user_id=None, merged_into_id=member.pk)
        _set(work, member, **taken)
        return kept

    def give_back(self, work: Merging, kept: Any) -> None:
        """Give back values that the member still has; FIDE ID and login must be free."""
        member, other = work.member, work.other
        cleared: dict[str, Any] = {}
        for name, value in kept["taken"].items():
            if getattr(member, name) == value:
                cleared[name] = vars(Member())[name]
                if name != "user_id":
                    label = f"{member}: {Member._meta.get_field(name).verbose_name}"  # type: ignore[union-attr]
                    work.tell("inputs", f"{member.username} {name}", label, before=str(value))
        fide_id, user = kept["fide_id"], kept["logins"]["other"]
        for field, value in (("fide_id", fide_id), ("user_id", user)):
            holder = Member.objects.filter(**{field: value}).first() if value is not None else None
            if holder is not None and (holder.pk != member.pk or field not in cleared):
                told = _("%(holder)s has the %(what)s of %(other)s since. Take it from them first.")
                what = _("FIDE ID") if field == "fide_id" else _("login")
                raise ValidationError(told % {"holder": holder, "what": what, "other": other})
        work.tell(
            "inputs",
            f"{other.username} merged",
            _("%(other)s (%(username)s) is a member again") % {"other": other, "username": other.username},
            before=member.username,
        )
        _set(work, member, **cleared)
        _set(work, other, fide_id=fide_id, user_id=user, merged_into_id=None)


@merges
class Called(Moving):
    """Former names. Those of the other account, and its own username, then lead to the member."""

    place = 11

    def __init__(self) -> None:
        super().__init__("members.FormerName.member")

    def merge(self, work: Merging) -> Any:
        """Move the former names and add the other's username; return the moved and the new ones."""
        member, other = work.member, work.other
        moved = super().merge(work)
        new = []
        key = key_of(other.username)
        taken = FormerName.objects.filter(username_key=key).exists()
        # Names from before usernames were compared may differ only in case: they lead to one member anyway.
        if key != key_of(member.username) and not taken:
            new.append(FormerName(text=other.username, username_key=key))
        if other.name and other.name != member.name:
            new.append(FormerName(text=other.name))
        for one in new:
            one.member, one.until = member, work.at
            one.save()
        return {"moved": moved, "new": [one.pk for one in new]}

    def give_back(self, work: Merging, kept: Any) -> None:
        """Give back the names that moved, and delete the new ones."""
        FormerName.objects.filter(pk__in=kept["new"]).delete()
        super().give_back(work, kept["moved"])


@merges
class Games(MergedRows):
    """Games, with either colour. Games between the two become unrated."""

    place = 12
    relations = ("ratings.Game.white", "ratings.Game.black")

    def merge(self, work: Merging) -> Any:
        """Move the games; return them by colour, with the rated ones between the two."""
        member, other = work.member, work.other
        Game.objects.of(other.pk).lock()
        between = Q(white=member, black=other) | Q(white=other, black=member)
        own = dict(
            Game.objects.filter(between, rated=True).order_by("pk").values_list("pk", "unrated_reason")
        )
        for game in Game.objects.with_names().filter(pk__in=own).order_by("ended_at", "pk"):
            told = _("%(game)s: they played against each other. The game becomes unrated.") % {"game": game}
            work.warn(f"game {game.pk}", told)
        _change(work, list(own), rated=False, unrated_reason=SAME_PERSON)
        kept: dict[str, Any] = {"own": list(own.items())}
        for colour in ("white", "black"):
            games = Game.objects.filter(**{colour: other}).exclude(between).order_by("pk")
            kept[colour] = list(games.values_list("pk", flat=True))
            _change(work, kept[colour], **{colour: member})
        if number := len(kept["white"]) + len(kept["black"]):
            work.tell_moved(Game, "players", number)
        return kept

    def give_back(self, work: Merging, kept: Any) -> None:
        """Give back games that are still the member's, and those between the two that are still unrated."""
        number = back = 0
        for colour in ("white", "black"):
            number += len(kept[colour])
            for some in _batches(kept[colour]):
                Game.objects.filter(pk__in=some).lock()
                found = Game.objects.filter(pk__in=some, **{colour: work.member}).order_by("pk")
                keys = list(found.values_list("pk", flat=True))
                back += len(keys)
                _change(work, keys, **{colour: work.other})
        if back:
            work.tell_moved(Game, "players", back, back=True)
        if gone := number - back:
            work.tell_gone(Game, "players", gone)
        for key, reason in kept["own"]:
            Game.objects.filter(pk=key).lock()
            own = Game.objects.with_names().filter(pk=key, rated=False, unrated_reason=SAME_PERSON)
            for game in own:
                work.tell("inputs", f"game {key}", str(game), before="unrated", after="rated")
                _change(work, [key], rated=True, unrated_reason=reason)


class _OnceEach(Moving):
    """Inputs that a member can have only once: if both have one, the other account's is deleted."""

    def merge(self, work: Merging) -> Any:
        """Return the rows that moved, and the deleted rows with everything deleted with them."""
        moved, stuck = self.hand_over_all(work)
        told = _("%(row)s: both have one. That of %(member)s stays.")
        for row in stuck:
            work.warn(f"{self.label} {row.pk}", told % {"row": row, "member": work.member})
        return {"moved": moved, "gone": [delete_with_all(row, by=work.by, note=work.note) for row in stuck]}

    def give_back(self, work: Merging, kept: Any) -> None:
        """Give back the moved rows, and restore the deleted ones."""
        super().give_back(work, kept["moved"])
        for rows in kept["gone"]:
            restore(rows, by=work.by, note=work.note)


@merges
class Openings(_OnceEach):
    """Opening ratings. The rules apply the earlier of two (RBB 3.4); at one moment, the higher."""

    place = 13

    def __init__(self) -> None:
        super().__init__("ratings.OpeningRating.member")

    def merge(self, work: Merging) -> Any:
        """Merge like other parts, and warn of two rows in one category."""
        both = self.rows(member__in=(work.member, work.other))
        categories: dict[Any, list[Any]] = {}
        for one in both.order_by("effective_at", "-rating", "pk"):
            categories.setdefault(one.category, []).append(one)
        for category, some in sorted(categories.items()):
            if len({one.member_id for one in some}) > 1:
                told = _("Both have an opening rating in %(category)s. This one counts: %(opening)s.")
                words = {"category": category.slug, "opening": some[0]}
                work.warn(f"openings {category.slug}", told % words, str(some[0].pk))
        return super().merge(work)


@merges
class Adjustments(_OnceEach):
    """Over-the-board adjustments: only one for a list period counts (RBB 3.15)."""

    place = 14

    def __init__(self) -> None:
        super().__init__("ratings.OtbAdjustment.member")


def _change(work: Merging, keys: list[int], **values: Any) -> None:
    """Change games together, with their histories."""
    for some in _batches(keys):
        games = Game.objects.filter(pk__in=some).order_by("pk")
        before = list(games)
        games.update(**values)
        note_changes(before, list(games.all()), by=work.by, reason=work.note)


def _set(work: Merging, member: Member, **values: Any) -> None:
    """Change a member, with the history."""
    if not values:
        return
    # With the manager that records no former names: these values were never the member's own.
    row = Member._base_manager.filter(pk=member.pk)
    before = list(row)
    row.update(**values)
    after = list(row.all())
    note_changes(before, after, by=work.by, reason=work.note)
    vars(member).update({name: getattr(after[0], name) for name in values})


def _batches(keys: list[Any]) -> list[list[Any]]:
    return [keys[start : start + AT_ONCE] for start in range(0, len(keys), AT_ONCE)]
