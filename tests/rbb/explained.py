"""What tests of explanations share."""

from ratings.office.rule_books import cited
from ratings.rbb.explanation import explain
from ratings.rbb.models import RatingChange
from tests.arena import adjustment, member, opening


def row_of(who, played=None):
    """His line of this game, or his last line."""
    rows = RatingChange.objects.with_events().filter(member=who)
    return rows.get(game=played) if played else rows.latest("occurred_at", "id")


def steps(who, played=None):
    """The steps of that line by their names."""
    return {step.name: step for step in explain(row_of(who, played)).steps}


def told(who, played=None):
    """What the steps say, each with its articles, which all stand on the page “How ratings work”."""
    found = explain(row_of(who, played)).steps
    assert all(cited("RBB").has(article) for step in found for article in step.articles)
    return [f"{step.text} {' '.join(step.articles)}" for step in found]


def adjusted(who, points, minute=5):
    """An over-the-board change of the March 2026 FIDE list."""
    return adjustment(who, points, minute=minute, source="FIDE")


def named(name, points=None, **fields):
    """A member of this name, with this rating or none."""
    who = member(name=name)
    if points is not None:
        opening(who, points, **fields)
    return who
