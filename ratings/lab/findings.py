"""Findings of the radar in words: what is unusual, how unusual, and how it may have come about."""

from __future__ import annotations

from typing import Any, Final

from django.utils.formats import number_format
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from ratings.lab.models import Finding
from ratings.rbb.labels import half_points_text
from ratings.rbb.models.games import Game

NAMED: Final = 100
"""Maximum number of games on the page and in the text of a case, the latest."""

_Kind = Finding.Kind

_TOLD: Final = {
    _Kind.PAIR: _(
        "%(member)s scored %(score)s of %(games)s against %(others)s; %(expected)s were expected from both"
        " players’ other games. Points gained: %(points)s."
    ),
    _Kind.CARRIED: _(
        "%(member)s scored %(score)s of %(games)s against %(others)s; %(expected)s were expected from both"
        " players’ other games. Points gained: %(points)s. Without these games, %(member)s plays at the "
        "level of %(other)s; the rating is %(rating)s."
    ),
    _Kind.NEWCOMERS: _(
        "%(member)s scored %(score)s of %(games)s against %(number)s new players (K = 40); %(expected)s "
        "were expected. Points gained: %(points)s."
    ),
    _Kind.CIRCLE: _(
        "%(member)s scored %(score)s of %(games)s against %(number)s regular opponents; %(expected)s were"
        " expected from everybody’s other games. Points gained: %(points)s."
    ),
    _Kind.LIMIT: _(
        "%(member)s fell from %(from)s to %(to)s, below %(limit)s, scoring %(score)s in %(games)s games;"
        " %(expected)s were expected. The next %(after_games)s games won back %(after_points)s points."
    ),
    _Kind.GONE: _(
        "%(score)s of the %(won)s games that %(member)s won ended when the opponent disconnected;"
        " %(expected)s were expected from these opponents’ other losses."
    ),
}

INNOCENT: Final = {
    _Kind.PAIR: _(
        "They train together, one has a style that the other finds awkward, or two people share an account."
    ),
    _Kind.CARRIED: _("The opponent’s rating was too high for a while, or their style suits this member."),
    _Kind.NEWCOMERS: _("A coach or a club introduces beginners, whose first ratings were too high."),
    _Kind.CIRCLE: _(
        "A club, a family or a school class: the opponents rarely play anybody else, so we know little "
        "about their strength."
    ),
    _Kind.LIMIT: _("Illness, tiredness, a new opening, a child at the keyboard."),
    _Kind.GONE: _(
        "Opponents with poor connections, or who leave when they are losing; a server that was down."
    ),
}
"""Innocent reasons for a finding of each kind."""


def told(finding: Finding) -> str:
    """Say what is unusual."""
    figures = finding.figures
    others = list(finding.others.all())
    words: dict[str, Any] = {name: f"{value:.0f}" for name, value in figures.items()} | {
        "member": finding.member,
        "others": others[0] if others else "–",
        "number": len(others),
        "games": len(finding.games),
        "score": half_points_text(round(2 * figures["score"])),
        "expected": f"{figures['expected']:.1f}",
    }
    return str(_TOLD[_Kind(finding.kind)]) % words


def by_chance(finding: Finding) -> str:
    """Say how often honest play with the same pairings gives such a finding."""
    if finding.chance < 1e-6:
        return gettext("less than once in a million runs")
    runs = round(1 / finding.chance)
    digits = len(str(runs)) - 1
    # One digit: more would seem to be known better than it is.
    return gettext("once in %(runs)s runs") % {
        "runs": number_format(round(runs, -digits), force_grouping=True)
    }


def text_of_case(finding: Finding) -> str:
    """Return what a new case says."""
    games = ", ".join(f"#{key}" for key in finding.games[-NAMED:])
    parts = [
        told(finding),
        gettext("By chance: %(often)s.") % {"often": by_chance(finding)},
        gettext("Innocent explanations: %(reasons)s") % {"reasons": INNOCENT[_Kind(finding.kind)]},
        gettext("Games: %(games)s") % {"games": games},
    ]
    return "\n".join(parts)


def games_of(finding: Finding) -> list[Game]:
    """Return its games, the latest first."""
    games = Game.objects.with_names().filter(pk__in=finding.games[-NAMED:])
    return list(games.order_by("-ended_at", "-pk"))
