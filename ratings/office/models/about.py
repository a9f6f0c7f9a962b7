"""The office's own texts of the page “About”, and the mark of a demo."""

from __future__ import annotations

from typing import Final

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from foa.history import ChangeHistory

LONGEST: Final = 20_000
"""Maximum length of a text, in characters."""


def languages() -> list[tuple[str, str]]:
    """Return the languages of the site, which migrations don't repeat."""
    found: list[tuple[str, str]] = settings.LANGUAGES
    return found


class AboutText(models.Model):
    """The office's own text of the page “About” in one language, in Markdown."""

    language = models.CharField(_("language"), max_length=7, choices=languages, unique=True)
    text = models.TextField(
        _("text"),
        max_length=LONGEST,
        help_text=_("Markdown: ## begins a heading, * a list item, [words](address) is a link."),
    )

    history = ChangeHistory()

    class Meta:
        verbose_name = _("“About” page text")
        verbose_name_plural = _("“About” page text")
        ordering = ("language",)

    def __str__(self) -> str:
        return str(self.get_language_display())

    def get_absolute_url(self) -> str:
        return reverse("ratings:about")


class Demo(models.Model):
    """The mark of a demo arena, whose people, games and FIDE IDs are invented (``load_demo``)."""

    loaded_at = models.DateTimeField(_("loaded at"))

    class Meta:
        verbose_name = _("demo")
        verbose_name_plural = _("demos")
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.loaded_at:%Y-%m-%d}"
