"""Full membership. Merged members have the spans of both, joined if they touch or overlap."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from foa.history import name_author, note_additions, note_changes
from foa.moments import NEVER_ENDS
from foa.said import gettext as _
from foa.said import ngettext, plain
from foa.text import utc_text
from members.models import FullMembership, Member
from ratings.office.personal import Erasing, Person, Table, table
from ratings.office.relations import Declaration, Merging
from ratings.rbb.memberships import change_spans, concerned, together
from ratings.rbb.models import Game
from ratings.rbb.relations.rows import dumped, loaded
from ratings.rules.rbb.conditions import Span


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
                "%d game was kept unrated for lack of membership and stays so. It can be rated now.",
                "%d games were kept unrated for lack of membership and stay so. They can be rated now.",
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
                work.tell("inputs", f"game {game.pk}", str(game), "rated", why)
                work.change(Game.objects.filter(pk=game.pk), rated=False, unrated_reason=why)
        now = [row.span for row in mine]
        if not is_unchanged:
            told = _("The full membership of %(member)s has changed since the merge and stays as it is.")
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
    with together():
        for row in rows:
            if row.pk not in keys:
                name_author(row, work.by, work.note)
                row.delete()
        new = []
        for row in wanted:
            if (stood := stored.get(row.pk)) is None:
                new.append(row)
            elif dumped(stood) != dumped(row):
                change = FullMembership.objects.filter(pk=row.pk)
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
