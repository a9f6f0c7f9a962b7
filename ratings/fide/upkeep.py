"""Work on FIDE's lists that the worker does as time passes. Importing this module registers it."""

from datetime import datetime

from ratings.fide.audit import CHECKS
from ratings.fide.models import FideList
from ratings.fide.services.first_ratings import begun, give_by_itself
from ratings.fide.services.kept_files import forget_all_but
from ratings.fide.services.looking_up import look_up_kept_lists
from ratings.office.audit import Audited, audit
from ratings.office.upkeep import hourly


@hourly
def look_up_in_lists(at: datetime) -> int:
    """RBB 3.4, 3.15: store what kept lists say about FIDE IDs that became known after their import."""
    forget_all_but(set(FideList.objects.values_list("sha256", flat=True)))
    return look_up_kept_lists()


@hourly
def give_first_ratings(at: datetime) -> None:
    """RBB 3.4: give first ratings on the first day of full membership."""
    give_by_itself(list(begun(at=at).values_list("pk", flat=True)))


@hourly
def look_at_ratings(at: datetime) -> Audited:
    """RBB 3.4, 3.15: find members whose figures differ from what the lists give, for “What is due”."""
    return audit(only=CHECKS)
