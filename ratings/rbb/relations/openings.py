"""Opening ratings and over-the-board changes of a member, of which there is one of a kind."""

from __future__ import annotations

from typing import Any

from foa.said import gettext as _
from ratings.office.relations import Merging, Relation
from ratings.rbb.relations.rows import delete_with_all, restore


class _OnceEach(Relation):
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


class Openings(_OnceEach):
    """Opening ratings. The rules apply the earlier of two (RBB 3.4); at one moment, the higher."""

    kept_as = "Openings"

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


class Adjustments(_OnceEach):
    """Over-the-board adjustments: only one for a list period counts (RBB 3.15)."""

    kept_as = "Adjustments"
