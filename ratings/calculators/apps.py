"""The app of the calculators: hypothetical games under the office's rules."""

from django.utils.translation import gettext_lazy as _

from ratings.office import rooms


class CalculatorsConfig(rooms.Room):
    name = "ratings.calculators"
    menu = (("calculators:index", _("Calculators")),)
    verbose_name = _("Calculators")
    api = "ratings.calculators.api"
