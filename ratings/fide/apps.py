"""FIDE's rating lists, and what follows from them for members."""

from django.utils.translation import gettext_lazy as _

from ratings.office import rooms


class FideConfig(rooms.Room):
    """FIDE rating lists, first ratings from them (RBB 3.4), over-the-board changes (RBB 3.15)."""

    name = "ratings.fide"
    links = (("fide:lists", _("FIDE rating lists (over the board)")),)
    demo = "ratings.fide.demo.load_fide_demo"
    verbose_name = _("FIDE lists")

    def ready(self) -> None:
        """Connect the receiver that gives new members their first ratings; register the rest."""
        from ratings.fide import audit, decisions, signals, upkeep  # noqa: F401  imported for what they register
