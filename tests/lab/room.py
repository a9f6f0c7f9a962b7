"""What the tests of the whole house ask of the lab."""

from django.utils import timezone

from ratings.lab.models import Run

COMMANDS = {"lab": ()}
PAGES = {
    "everybody": "lab:calibration lab:corrections lab:latest_scale lab:scale lab:scale_of lab:scale_of_lists"
}
PAGES["ratings.add_ruleedition"] = "admin:lab_run_put"
OFFICERS = {Run: frozenset({"add", "view"})}


def furnish():
    """A question without an answer."""
    Run.objects.create(title="Nothing", variants=[""], asked_at=timezone.now())
