"""Personal data from FIDE's lists. The lists themselves are FIDE's, and stay as FIDE publishes them."""

from __future__ import annotations

from collections.abc import Iterator

from ratings.fide.models import Determination, DoubleRating, FidePlayer, FideRating
from ratings.office.personal import Erasing, Person, Table, table
from ratings.office.relations import Relation, declare


class OfTheLists(Relation):
    """The look-up of first ratings (RBB 3.4), and what lists said under the FIDE ID.

    The member was looked up once, under either account, so a merge moves the look-up. First ratings move with
    the starting ratings that they are the source of.
    """

    def tables(self, person: Person) -> Iterator[Table]:
        """Yield the record, the history of the FIDE ID, and the row of the list in force."""
        records = Determination.objects.filter(member__in=person.keys)
        yield table("first-ratings-looked-up", records, ("fide_id", "determined_at"))
        said = FideRating.objects.filter(fide_id__in=_numbers(person)).order_by("period", "control")
        yield table("fide-ratings", said, ("fide_id", "control", "period", "rating", "games"))
        double = DoubleRating.objects.filter(fide_id__in=_numbers(person)).order_by("pk")
        yield table("fide-ratings-given-twice", double, ("fide_id", "control", "name", "rating", "games"))
        rows = FidePlayer.objects.filter(fide_id__in=_numbers(person))
        columns = (
            "fide_id",
            "name",
            "federation",
            "sex",
            "birth_year",
            "title",
            "flag",
            "rapid_inactive",
            "blitz_inactive",
        )
        yield table("fide-list-in-force", rows, columns)

    def erase(self, work: Erasing) -> None:
        """Keep the record without the FIDE ID. Delete the history, which was only kept for this member."""
        records = Determination.objects.filter(member__in=work.person.keys)
        work.tell_rows(Determination, records.update(fide_id=0))
        work.tell_rows(FideRating, FideRating.objects.filter(fide_id__in=_numbers(work.person)).delete()[0])


def _numbers(person: Person) -> list[int]:
    return [one.fide_id for one in person.accounts if one.fide_id]


declare(OfTheLists("fide.Determination.member", moves=True))
