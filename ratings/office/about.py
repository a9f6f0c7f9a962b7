"""The page “About”: the office's own text, or the one that comes with the software."""

from __future__ import annotations

import re
from email.utils import parseaddr
from functools import lru_cache
from typing import Any, Final
from xml.etree.ElementTree import Element

from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from markdown import Markdown
from markdown.treeprocessors import Treeprocessor

from ratings.office.models import AboutText

_SAFE_ADDRESS: Final = re.compile(r"(https?://|mailto:|/|#)", re.IGNORECASE)
_OF_HTML: Final = ("html", "image_link", "image_reference", "short_image_ref", "automail")
"""Patterns of Markdown that let HTML or other sites' pictures through, or hide addresses in entities."""


class _SafeLinks(Treeprocessor):
    """Takes the address from links that lead elsewhere than to pages and mail, such as ``javascript:``."""

    def run(self, root: Element) -> None:
        for link in root.iter("a"):
            if not _SAFE_ADDRESS.match(link.get("href", "")):
                link.attrib.clear()


@lru_cache(16)
def as_html(text: str) -> SafeString:
    """Return a text that staff wrote as HTML. Tags in it are shown, not obeyed."""
    # Its registries are attributes that the types don't name.
    markdown: Any = Markdown()
    markdown.preprocessors.deregister("html_block")
    for pattern in _OF_HTML:
        markdown.inlinePatterns.deregister(pattern)
    markdown.treeprocessors.register(_SafeLinks(markdown), "safe-links", -1)
    html: str = markdown.convert(text)
    return mark_safe(html)  # noqa: S308  # without HTML of the text itself


def contact() -> str:
    """Return the office's mail address; empty if only the sender that comes with the software is set."""
    address = parseaddr(settings.DEFAULT_FROM_EMAIL)[1]
    return "" if address.endswith("@localhost") else address


def text_of_software(language: str) -> str:
    """Return the text in Markdown that the page has until the office writes its own."""
    context = {"arena_name": settings.ARENA_NAME, "contact": contact()}
    return render_to_string(f"about/about.{language}.md", context)


def about_text() -> str:
    """Return the text in the reader's language: the office's own in any language, or that of the software."""
    language = get_language() or settings.LANGUAGE_CODE
    own = dict(AboutText.objects.values_list("language", "text"))
    return own.get(language) or text_of_software(language)


def where_to_edit(user: Any) -> str:
    """Return where in the admin a user changes the text that they read; empty if they may not."""
    language = get_language() or settings.LANGUAGE_CODE
    own = AboutText.objects.filter(language=language).first()
    if own is not None:
        may, address = "office.change_abouttext", reverse("admin:office_abouttext_change", args=(own.pk,))
    else:
        may, address = "office.add_abouttext", f"{reverse('admin:office_abouttext_add')}?language={language}"
    return address if user.is_staff and user.has_perm(may) else ""
