"""Filters for the lab's pages."""

from django import template

register = template.Library()


@register.filter
def share(value: float) -> str:
    """Return a score as the regulations print it, with a third place: .482, 1.000."""
    return f"{value:.3f}".removeprefix("0")


@register.filter
def signed_share(value: float) -> str:
    """Return a difference of scores with its sign: +.012, −.030, .000."""
    text = share(abs(value))
    return text if text == ".000" else f"{'+' if value > 0 else '−'}{text}"
