"""What the tests of the whole house ask of the lab."""

from django.utils import timezone

from members.models import Member
from ratings.lab.models import Finding, Run, Sweep

COMMANDS = {"lab": ()}
PAGES = {
    "everybody": "lab:calibration lab:corrections lab:latest_scale lab:scale lab:scale_of lab:scale_of_lists"
}
PAGES["ratings.add_ruleedition"] = "admin:lab_run_put"
OFFICERS = {Run: frozenset({"add", "view"}), Sweep: frozenset({"add", "view"})}


def furnish():
    """A question without an answer, and a run of the radar with a finding."""
    Run.objects.create(title="Nothing", variants=[""], asked_at=timezone.now())
    searched = {"games": 1, "members": 2, "tests": 2, "honest": 0}
    sweep = Sweep.objects.create(
        limits=[1600], asked_at=timezone.now(), data_read_at=timezone.now(), result=searched
    )
    one, other = Member.objects.order_by("pk")[:2]
    finding_of(sweep, one, other)
    # The list shows those of the latest run.
    Finding.objects.update(sweep=sweep)


def finding_of(sweep, member, *others, kind=Finding.Kind.PAIR, games=()):
    """A finding about members."""
    finding = Finding.objects.create(
        sweep=sweep,
        kind=kind,
        category=2,
        member=member,
        chance=0.000_034,
        false=0.000_034,
        figures={"score": 2.5, "expected": 1.26, "points": 25.4, "other": 1500, "rating": 1650},
        games=list(games),
    )
    finding.others.set(others)
    return finding
