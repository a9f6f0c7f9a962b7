"""Templates for the answers of an officer."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from django.utils import translation
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from foa.account.language import language_of


class Answer(NamedTuple):
    """A template. ``name``: for the officer; ``text``: for the member, in their language."""

    name: str | Promise
    text: str | Promise


ANSWERS: Final = {
    "corrected": Answer(
        _("It was corrected"),
        _(
            "Thank you for writing. You were right: we have corrected it, and every rating that depended on"
            " it was calculated again. The register says what changed."
        ),
    ),
    "stands": Answer(
        _("It stands"),
        _(
            "Thank you for writing. We have looked at it and found no error: the page of the change shows"
            " each step with its article. It stays as it is."
        ),
    ),
    "unproven": Answer(
        _("There is no proof"),
        _(
            "Thank you for writing. From what we have we can't tell that it was otherwise. If you have more,"
            " such as the moves or a screenshot, answer here."
        ),
    ),
    "elsewhere": Answer(
        _("The arena decides it"),
        _(
            "Thank you for writing. Results and fair play in a game are decided by the arena. Please ask"
            " there; once the result is changed, your rating follows."
        ),
    ),
}
"""Templates by the word in the address of the page that decides."""


def answer_text(answer: Answer | None, case: Any) -> str:
    """Return the text of an answer in the language of whoever opened the case, or "" for no template."""
    if answer is None:
        return ""
    user = case.opener.user if case.opener is not None else None
    with translation.override(language_of(user) if user is not None else translation.get_language()):
        return str(answer.text)
