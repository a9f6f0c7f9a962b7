"""Members themselves in a merge: accounts, names, the login, full membership and closures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.apps import apps
from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import make_password
from django.core.exceptions import ValidationError
from django.db.models import Q

from foa.history import name_author, note_additions, note_changes
from foa.moments import NEVER_ENDS
from foa.said import gettext as _
from foa.said import ngettext, of_field, plain
from foa.text import utc_text
from members.former import FormerName, Merge
from members.importing import FACTS
from members.models import AccountClosure, FullMembership, Member
from members.usernames import key_of
from ratings.office.effects import AboutRow
from ratings.office.personal import Erasing, Person, Table, table
from ratings.office.relations import Declaration, Merging, Relation
from ratings.rbb.closures import games_to_hold, let_go
from ratings.rbb.labels import waiting_text
from ratings.rbb.ledger.corrections import compare_games_of, reinstate_games, void_games
from ratings.rbb.memberships import change_spans, concerned
from ratings.rbb.models import Game
from ratings.rbb.personal import pseudonym
from ratings.rbb.relations.games import SAME_PERSON, dumped, loaded
from ratings.rules.rbb.conditions import Span


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
                text = _("%(what)s: %(mine)s is kept; the other account has %(theirs)s.")
                work.warn(name, text % {"what": label, "mine": mine, "theirs": theirs}, f"{mine} {theirs}")
        logins = {"member": member.user_id, "other": other.user_id}
        if other.user_id is not None:
            if member.user_id is None:
                taken["user_id"] = other.user_id
                text = _("The login of the other account moves to this member.")
            else:
                text = _(
                    "Both have a login. The other account’s login won’t be linked to a member unless the "
                    "merge is reversed."
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
                told = _("%(holder)s now has %(other)s’s %(what)s. Remove it there first.")
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


_OWNED: Final = (
    "foa.Session",
    "foa.LoginSettings",
    "foa.ArenaLogin",
    "otp_totp.TOTPDevice",
    "otp_static.StaticDevice",
    "django_otp_webauthn.WebAuthnCredential",
    "django_otp_webauthn.WebAuthnUserHandle",
    "oauth2_provider.AccessToken",
    "oauth2_provider.RefreshToken",
    "oauth2_provider.IDToken",
    "oauth2_provider.Grant",
    "oauth2_provider.Application",
)
"""Models whose rows belong to a login alone."""


class Logins(Declaration):
    """The login, its sessions and second factors, and the log of attempts to log in."""

    def tables(self, person: Person) -> Iterator[Table]:
        """Yield logins and settings, but no secrets such as keys and passwords."""
        users = _users(person)
        columns = ("username", "email", "first_name", "last_name", "date_joined", "last_login", "is_active")
        yield table("login", users.order_by("pk"), columns)
        keys = list(users.values_list("pk", flat=True))
        chosen: Any = apps.get_model("foa.LoginSettings")
        yield table("login-settings", chosen.objects.filter(user__in=keys), ("language", "new_email"))
        linked: Any = apps.get_model("foa.ArenaLogin")
        yield table("arena-login", linked.objects.filter(user__in=keys), ("issuer", "subject", "linked_at"))
        sessions: Any = apps.get_model("foa.Session")
        yield table("sessions", sessions.objects.filter(user__in=keys), ("expire_date",))
        for label, name in (
            ("otp_totp.TOTPDevice", "apps-for-codes"),
            ("django_otp_webauthn.WebAuthnCredential", "passkeys"),
        ):
            model: Any = apps.get_model(label)
            yield table(name, model.objects.filter(user__in=keys), ("name", "created_at", "last_used_at"))
        names = list(users.values_list("username", flat=True))
        log = AccessLog.objects.filter(username__in=names).order_by("attempt_time")
        yield table("logins", log, ("attempt_time", "ip_address", "user_agent", "logout_time"))

    def erase(self, work: Erasing) -> None:
        """Empty the login. The row stays, because decisions and cases point to it, but can't be used."""
        users = list(_users(work.person))
        for user in users:
            for label in _OWNED:
                apps.get_model(label)._base_manager.filter(user=user).delete()
            for model in (AccessAttempt, AccessFailureLog, AccessLog):
                model.objects.filter(username=user.get_username()).delete()
            user.groups.clear()
            user.user_permissions.clear()
            type(user)._base_manager.filter(pk=user.pk).update(
                username=f"withdrawn-login-{user.pk}",
                first_name="",
                last_name="",
                email="",
                password=make_password(None),
                is_active=False,
            )
        work.tell_rows(get_user_model(), len(users))


def _users(person: Person) -> Any:
    return get_user_model()._base_manager.filter(pk__in=[one.pk for one in person.logins])


class Spans(Declaration):
    """RBB 2.1: after a merge, the member was a full member whenever either of the two was."""

    relations = ("members.FullMembership.member",)
    kept_as = "Spans"

    def merge(self, work: Merging) -> Any:
        """Merge the spans; return both members' former rows, and the member's new ones."""
        mine, theirs = _rows(work.member), _rows(work.other)
        kept = {"member": list(map(dumped, mine)), "other": list(map(dumped, theirs))}
        held, spans = [row.span for row in mine], joined(row.span for row in (*mine, *theirs))
        # Each span keeps a row with the same beginning, so a row changes only its end and member.
        first = {row.full_from: row for row in (*theirs, *mine)}
        wanted = []
        for begin, end in spans:
            row = loaded(dumped(first[begin]))
            row.member_id, row.full_until = work.member.pk, end
            wanted.append(row)
        _become(work, [*mine, *theirs], wanted)
        if spans != held:
            work.tell(
                "inputs", f"{work.member.username} spans", _label(work.member), _told(held), _told(spans)
            )
        if theirs:
            stood = _told(row.span for row in theirs)
            work.tell("inputs", f"{work.other.username} spans", _label(work.other), stood)
        if number := len(concerned(work.member, spans, before=held).offered):
            told = ngettext(
                "%d game was kept unrated for lack of membership, and still is. It can be rated now.",
                "%d games were kept unrated for lack of membership, and still are. They can be rated now.",
                number,
            )
            work.warn("games to rate", told % number, str(number))
        return {**kept, "after": list(map(dumped, wanted))}

    def give_back(self, work: Merging, kept: Any) -> None:
        """Restore the rows. Games played since then that they don't cover become unrated.

        Spans that came under a name of the other since the merge become the other's.
        """
        member, rows = work.member, _rows(work.member)
        came = {*work.arrived.get(self.relations[0], ())}
        rest = [row for row in rows if row.pk not in came]
        after = [loaded(row) for row in kept["after"]]
        is_unchanged = list(map(dumped, rest)) == [dumped(row) for row in after if row.pk not in came]
        mine = [loaded(row) for row in kept["member"]] if is_unchanged else rest
        news = [loaded(dumped(row)) for row in rows if row.pk in came]
        theirs = _with_news([loaded(row) for row in kept["other"]], news)
        there = {row.pk for row in mine}
        for row in theirs:
            row.member_id, row.pk = work.other.pk, None if row.pk in there else row.pk
        held = [row.span for row in rows]
        for who, theirs_now in ((member, mine), (work.other, theirs)):
            spans = [row.span for row in theirs_now]
            for game, why in concerned(who, spans, before=held, lock=True).uncovered:
                work.tell("inputs", str(AboutRow("game", game.pk)), str(game), "rated", why)
                work.change(Game.objects.filter(pk=game.pk), rated=False, unrated_reason=why)
        now = [row.span for row in mine]
        if not is_unchanged:
            told = _("%(member)s’s full membership has changed since the merge, and won’t be changed back.")
            work.warn("spans", told % {"member": member})
        elif now != held:
            work.tell("inputs", f"{member.username} spans", _label(member), _told(held), _told(now))
        if theirs:
            again = _told(row.span for row in theirs)
            work.tell("inputs", f"{work.other.username} spans", _label(work.other), after=again)
        _become(work, rows, [*mine, *theirs])

    def tables(self, person: Person) -> Iterator[Table]:
        """Yield the spans."""
        rows = FullMembership.objects.filter(member__in=person.keys).order_by("full_from")
        yield table("full-memberships", rows, ("full_from", "full_until"))

    def erase(self, work: Erasing) -> None:
        """End full membership: no further rated games can be played under the account."""
        member = work.person.member
        held = FullMembership.objects.spans_of([member.pk])[member.pk]
        left = [(begin, min(end or work.at, work.at)) for begin, end in held if begin < work.at]
        if left != held:
            change_spans(member=member, spans=left, rate=(), by=work.by, note=work.note)
            work.tell_rows(FullMembership, len(held))


def joined(spans: Iterable[Span]) -> list[Span]:
    """Return the same time in as few spans as possible, in order of their beginnings."""
    found: list[Span] = []
    for begin, end in sorted(spans, key=lambda span: span[0]):
        if found and (found[-1][1] or NEVER_ENDS) >= begin:
            ends = max(found[-1][1] or NEVER_ENDS, end or NEVER_ENDS)
            found[-1] = found[-1][0], None if ends == NEVER_ENDS else ends
        else:
            found.append((begin, end))
    return found


def _with_news(rows: list[FullMembership], news: list[FullMembership]) -> list[FullMembership]:
    """Return rows as a member has them who is told of new ones: same beginnings change, others are joined."""
    if not news:
        return rows
    first = {row.full_from: row for row in (*rows, *news)}
    for row in rows:
        # A row keeps its key, with the end that came later.
        if (new := first[row.full_from]) is not row:
            row.full_until = new.full_until
            first[row.full_from] = row
    found = []
    for begin, end in joined(row.span for row in first.values()):
        first[begin].full_until = end
        found.append(first[begin])
    return found


def _become(work: Merging, rows: list[FullMembership], wanted: list[FullMembership]) -> None:
    """Change the stored rows to the wanted ones, without signals: nobody joins the arena because of this."""
    keys = {row.pk for row in wanted}
    stored = {row.pk: row for row in rows}
    who = {"by": work.by, "reason": work.note}
    for row in rows:
        if row.pk not in keys:
            row.games_follow = True
            name_author(row, work.by, work.note)
            row.delete()
    new = []
    for row in wanted:
        if (stood := stored.get(row.pk)) is None:
            new.append(row)
        elif dumped(stood) != dumped(row):
            # Not by ``objects``, which asks about the games: they are compared afterwards.
            change = FullMembership._base_manager.filter(pk=row.pk)
            change.update(member_id=row.member_id, full_from=row.full_from, full_until=row.full_until)
            note_changes([stood], [row], **who)
    FullMembership.objects.bulk_create(new)
    note_additions(new, **who)


def _rows(member: Member) -> list[FullMembership]:
    return list(FullMembership.objects.filter(member=member).order_by("full_from"))


def _label(member: Member) -> str:
    return plain("%s: %s") % (member, FullMembership._meta.verbose_name)


def _told(spans: Iterable[Span]) -> str:
    """Return spans as text that reads the same in every language."""
    return "; ".join(f"{utc_text(begin)} – {utc_text(end) if end else '…'}" for begin, end in spans)


class Closures(Declaration):
    """Closures of the account. A member closed under one name can't play rated games under another.

    The fact that it was closed is kept when they leave, because games are void by it.
    """

    relations = ("members.AccountClosure.member",)
    kept_as = "Closures"

    def merge(self, work: Merging) -> Any:
        """Return the closures that moved; raises ValidationError for two that overlap."""
        theirs = list(AccountClosure.objects.filter(member=work.other).order_by("pk"))
        for closure in theirs:
            self._refuse_conflict(work, closure)
        _hand_over(work, theirs, work.member.pk)
        if theirs:
            work.tell_moved(AccountClosure, "member", len(theirs))
        _hold_games(work)
        return [closure.pk for closure in theirs]

    def give_back(self, work: Merging, kept: Any) -> None:
        """Give back the closures that still exist, and those that came under a name of the other since."""
        came = work.arrived_besides(self.relations[0], kept)
        theirs = list(AccountClosure.objects.filter(pk__in=[*kept, *came], member=work.member).order_by("pk"))
        _hand_over(work, theirs, work.other.pk)
        if theirs:
            work.tell_moved(AccountClosure, "member", len(theirs), back=True)
        if gone := len(set(kept) - {closure.pk for closure in theirs}):
            work.tell_gone(AccountClosure, "member", gone)
        _hold_games(work)

    def tables(self, person: Person) -> Iterator[Table]:
        """Yield the dates and categories of the closures, and separately the notes of staff."""
        rows = AccountClosure.objects.filter(member__in=person.keys).order_by("closed_from")
        columns = ("closed_from", "closed_until", "category", "games_since", "decided_at")
        yield table("closed-accounts", rows, columns)
        yield table("closed-accounts-notes", rows, ("closed_from", "note"), for_staff=True)

    def erase(self, work: Erasing) -> None:
        """Empty the notes."""
        rows = AccountClosure.objects.filter(member__in=work.person.keys)
        keys = list(rows.values_list("pk", flat=True))
        work.tell_rows(AccountClosure, rows.exclude(note="").update(note=""))
        AccountClosure.history.filter(id__in=keys).exclude(note="").update(note="")

    def _refuse_conflict(self, work: Merging, closure: AccountClosure) -> None:
        """Raise ValidationError for a closure of the member at the same time."""
        mine = AccountClosure.objects.filter(member=work.member).overlapping(closure.span).first()
        if mine is not None:
            told = _("Both accounts are closed at the same time: %(one)s; %(two)s. Reopen one of them first.")
            raise ValidationError(told % {"one": mine, "two": closure})


def _hand_over(work: Merging, closures: list[AccountClosure], to: int) -> None:
    keys = [closure.pk for closure in closures]
    work.change(AccountClosure._base_manager.filter(pk__in=keys).order_by("pk"), member_id=to)


def _hold_games(work: Merging) -> None:
    """Void games of the two that a closure now covers, release those no longer covered, compare them again.

    A game that was settled as the second report of one that other people played stays void, which is said.
    """
    members = work.member.pk, work.other.pk
    voided, past = games_to_hold(members)
    void_games(games=voided, by=work.by, at=work.at, reason=SAME_PERSON, note=work.note)
    reinstated, stays = let_go(past, work.by)
    reinstate_games(games=reinstated, by=work.by, reason=(work.note or SAME_PERSON)[:255])
    unrated = [game for game, _why in stays if game.voided_at is None]
    waiting, freed = compare_games_of(members=members, by=work.by, reason=work.note or SAME_PERSON)
    settled = Game.objects.filter(Q(white__in=members) | Q(black__in=members), voided_at__isnull=False)
    for game in settled.second_reports_of_others().with_names().order_by("pk"):
        told = _("%(game)s stays void as a second report of game %(number)d, which the other account played.")
        work.warn(f"game {game.pk} void", told % {"game": game, "number": game.possibly_same_id})
    for game in waiting:
        work.warn(f"game {game.pk} waits", waiting_text(game))
    for games, before, after in (
        (voided, "counts", "void"),
        (reinstated, "void", "counts"),
        (unrated, "void", "unrated"),
        (waiting, "rated", "unrated"),
        (freed, "unrated", "rated"),
    ):
        for game in games:
            work.tell("inputs", str(AboutRow("game", game.pk, "void")), str(game), before, after)
