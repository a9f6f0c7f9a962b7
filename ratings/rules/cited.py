"""Names for what rules decide, each with its article."""

from enum import IntEnum


def _(text: str) -> str:
    """Mark a text for the catalogue. It is translated where it is shown."""
    return text


class Cited(IntEnum):
    """A name for something the rules decide, with the article and words for it."""

    article: str
    text: str

    def __new__(cls, value: int, article: str, text: str) -> "Cited":
        member = int.__new__(cls, value)
        member._value_ = value
        member.article = article
        member.text = text
        return member

    @property
    def sentence(self) -> str:
        """Article and text, as pages and files show it."""
        return f"{self.article} {self.text}"
