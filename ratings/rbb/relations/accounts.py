"""Members themselves, the accounts that were merged into them, and the names that lead to them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.core.exceptions import ValidationError

from foa.said import gettext as _
from foa.said import of_field
from members.former import FormerName, Merge
from members.importing import FACTS
from members.models import Member
from members.usernames import key_of
from ratings.office.personal import Erasing, Person, Table, table
from ratings.office.relations import Declaration, Merging, Relation
from ratings.rbb.personal.people import pseudonym


class People(Declaration):
    """The member, and the accounts that were merged into them.

    Facts that only the other account has pass to the remaining member.
    """

    relations = ("members.Member.merged_into", "members.Merge.other")
    kept_as = "People"

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
            label = of_field(member, Member, name)
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
        """Give back values that the member still has; FIDE ID and login must be free.

        A value told under a name of the other since the merge becomes the other's, and the member's is again
        the one before.
        """
        member, other = work.member, work.other
        cleared: dict[str, Any] = {}
        theirs: dict[str, Any] = {"fide_id": kept["fide_id"]}
        for name, (before, after) in kept.get("told", {}).items():
            theirs[name] = after
            if getattr(member, name) == after:
                cleared[name] = vars(Member())[name] if name in kept["taken"] else before
                label = of_field(member, Member, name)
                was, now = (str(value or "") for value in (after, cleared[name]))
                work.tell("inputs", f"{member.username} {name}", label, was, now)
        for name, value in kept["taken"].items():
            if name not in cleared and getattr(member, name) == value:
                cleared[name] = vars(Member())[name]
                if name != "user_id":
                    label = of_field(member, Member, name)
                    work.tell("inputs", f"{member.username} {name}", label, before=str(value))
        fide_id, user = theirs["fide_id"], kept["logins"]["other"]
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
        _set(work, other, **theirs, user_id=user, merged_into_id=None)

    def tables(self, person: Person) -> Iterator[Table]:
        """Yield the member as stored, earlier versions, and former names."""
        columns = ("id", "username", "name", "fide_id", "federation", "sex", "birth_year", "title")
        rows = Member.everybody.filter(pk__in=person.keys).order_by("pk")
        yield table("member", rows, (*columns, "hides_birth", "merged_into"))
        history = Member.history.filter(id__in=person.keys).order_by("history_date", "history_id")
        yield table("member-before", history, ("history_date", *columns))

    def erase(self, work: Erasing) -> None:
        """Erase what identifies the member, and its history. The federation stays: lists depend on it."""
        keys = work.person.keys
        # Before the rows: a merge keeps what it moved.
        Merge.objects.filter(other__in=keys).delete()
        Member.history.filter(id__in=keys).delete()
        FormerName.objects.filter(member__in=keys).delete()
        for one in work.person.accounts:
            new = pseudonym(one)
            # With the manager that records no former names.
            Member._base_manager.filter(pk=one.pk).update(
                username=new.username,
                username_key=key_of(new.username),
                name=new.name,
                fide_id=None,
                sex="",
                birth_year=None,
                title="",
                user=None,
                withdrawn_at=work.at,
            )
        work.tell("members.Member", len(keys), Member._meta.verbose_name_plural)


class FormerNames(Relation):
    """Former names. Those of the other account, and its own username, then lead to the member."""

    kept_as = "Called"

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


def _set(work: Merging, member: Member, **values: Any) -> None:
    """Change a member, with the history."""
    if not values:
        return
    # With the manager that records no former names: these values were never the member's own.
    (stored,) = work.change(Member._base_manager.filter(pk=member.pk), **values)
    vars(member).update({name: getattr(stored, name) for name in values})
