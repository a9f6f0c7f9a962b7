"""The forms in which a question about the rules is asked, and the radar is run."""

from __future__ import annotations

import re
from typing import Any, Final

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from ratings.formats.variants import MOST_TEXT, VariantRefused, read_variant
from ratings.lab.variants import YARDSTICK_NAMES
from ratings.rbb.labels import CATEGORY_NAMES
from ratings.rules.time_controls import Category

MOST: Final = 20
"""Maximum number of variants in a question."""

READY: Final = {
    "logistic": (
        _("Logistic formula instead of table 4.2"),
        'name = "Logistic"\n[expected]\nformula = "logistic"\n',
    ),
    "cap": (_("Differences above 400 count as 400"), 'name = "Cap 400"\n[expected]\ncap = 400\n'),
    "white": (_("White gets 35 extra points"), 'name = "White +35"\n[expected]\nwhite_advantage = 35\n'),
    "no-40": (
        _("No K = 40 for new players"),
        'name = "No K 40"\n[k]\npreviously_unrated_games = 0\n',
    ),
    "start": (_("Everybody starts at 1500"), 'name = "Start 1500"\n[first_rating]\nstart = 1500\n'),
    **{
        name: (label, f'name = "{name.capitalize()}"\nyardstick = "{name}"\n')
        for name, label in YARDSTICK_NAMES.items()
    },
}
"""Ready-made variants."""

_LINE: Final = re.compile(r"^---+\s*$", re.MULTILINE)


class QuestionForm(forms.Form):
    """Another K for some members, ready-made variants, or any variants in TOML."""

    k = forms.IntegerField(label="K", required=False, min_value=0, max_value=400)
    category = forms.ChoiceField(label=_("Category"), required=False)
    rating_from = forms.IntegerField(label=_("Rating from"), required=False, min_value=0, max_value=4000)
    rating_below = forms.IntegerField(label=_("Rating below"), required=False, min_value=1, max_value=4000)
    since = forms.DateField(
        label=_("Starting from"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        help_text=_("Leave blank to apply it to all games."),
    )
    ready = forms.MultipleChoiceField(
        label=_("Also compare"), required=False, widget=forms.CheckboxSelectMultiple
    )
    toml = forms.CharField(
        label=_("Other variants, in TOML"),
        required=False,
        max_length=MOST * MOST_TEXT,
        strip=False,
        widget=forms.Textarea(
            attrs={
                "rows": 8,
                "cols": 80,
                "spellcheck": "false",
                "translate": "no",
                "class": "vLargeTextField",
            }
        ),
        help_text=_("Separate variants with a line of ---. docs/lab.md lists all fields."),
    )
    cut = forms.DateField(
        label=_("Predict games from"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        help_text=_("Leave blank for the last quarter of all games."),
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        choices = [("", _("all")), *((one.slug, CATEGORY_NAMES[one]) for one in Category)]
        self.fields["category"].choices = choices  # type: ignore[attr-defined]
        ready = [(name, label) for name, (label, _toml) in READY.items()]
        self.fields["ready"].choices = ready  # type: ignore[attr-defined]

    def clean_toml(self) -> list[str]:
        """Return the variants one by one; raise ValidationError with each fault of each."""
        texts = [one.replace("\r\n", "\n").strip() for one in _LINE.split(self.cleaned_data["toml"])]
        texts = [one for one in texts if one]
        faults = []
        for number, one in enumerate(texts, 1):
            try:
                read_variant(one)
            except VariantRefused as refused:
                prefix = gettext("Variant %(number)s: ") % {"number": number} if len(texts) > 1 else ""
                faults += [f"{prefix}{fault}" for fault in refused.faults]
        if faults:
            raise forms.ValidationError(faults)
        return texts

    def clean(self) -> dict[str, Any]:
        """Collect the variants under ``variants``."""
        data = super().clean() or {}
        if self.errors:
            return data
        k = data["k"]
        asked = [data[name] for name in ("category", "rating_from", "rating_below", "since")]
        if k is None and any(one not in (None, "") for one in asked):
            self.add_error("k", _("Enter the K you want to try too."))
        variants = ([] if k is None else [_variant(data)]) + [READY[one][1] for one in data["ready"]]
        variants += data["toml"]
        if not variants and not self.errors:
            raise forms.ValidationError(_("Enter a K, choose a variant, or write one."))
        if len(variants) > MOST:
            raise forms.ValidationError(
                gettext("Too many variants: ask about %(most)s or fewer.") % {"most": MOST}
            )
        try:
            for one in variants:
                read_variant(one)
        except VariantRefused as refused:
            raise forms.ValidationError(refused.faults) from refused
        return data | {"variants": variants}


class SweepForm(forms.Form):
    """The ratings at which classes of tournaments begin."""

    limits = forms.CharField(
        label=_("Class limits"),
        max_length=200,
        initial="1200, 1400, 1600, 1800, 2000, 2200",
        widget=forms.TextInput(attrs={"class": "vTextField"}),
        help_text=_(
            "Rating limits of the tournament classes. They aren’t stored here, so please enter them."
        ),
    )

    def clean_limits(self) -> list[int]:
        """Return the limits, lowest first; raise ValidationError for what isn't a rating."""
        words = re.split(r"[\s,;]+", self.cleaned_data["limits"].strip())
        words = [one for one in words if one]
        if not words:
            raise forms.ValidationError(_("Enter at least one rating."))
        if wrong := [one for one in words if not re.fullmatch(r"[1-9]\d{2,3}", one)]:
            told = gettext("“%(word)s” isn’t a rating from 100 to 9999.")
            raise forms.ValidationError([told % {"word": one} for one in wrong])
        return sorted({int(one) for one in words})


def _variant(data: dict[str, Any]) -> str:
    """Return the TOML of another K."""
    low, high, category = data["rating_from"], data["rating_below"], data["category"]
    name = [f"K {data['k']}", category, f"from {low}" if low else "", f"below {high}" if high else ""]
    since = f" since {data['since']}" if data["since"] else ""
    lines = [f'name = "{" ".join(filter(None, name))}{since}"']
    if data["since"]:
        lines.append(f"since = {data['since']}")
    lines += ["[[k.rule]]", f"k = {data['k']}"]
    lines += [f'category = "{category}"'] if category else []
    lines += [f"rating_from = {low}"] if low else []
    lines += [f"rating_below = {high}"] if high else []
    return "\n".join(lines) + "\n"
