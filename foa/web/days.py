"""Form widgets for a day and for a moment, with the browser's own pickers."""

from typing import Any

from django import forms
from django.utils.dateparse import parse_date


class DayInput(forms.DateInput):
    """The browser's date field. It can hold only a date, so invalid text is left out."""

    input_type = "date"

    def __init__(self) -> None:
        super().__init__(format="%Y-%m-%d")

    def format_value(self, value: Any) -> str | None:
        """Return the date as 2026-10-31, or None."""
        text = super().format_value(value)
        return text if text and _is_day(text) else None


class TimeInput(forms.TimeInput):
    """The browser's time field, to the second."""

    input_type = "time"

    def __init__(self) -> None:
        super().__init__(attrs={"step": "1"}, format="%H:%M:%S")


class MomentInput(forms.SplitDateTimeWidget):
    """Day and time of day (UTC). A day alone is its 00:00."""

    def __init__(self, time: type[forms.Widget] = TimeInput) -> None:
        super(forms.SplitDateTimeWidget, self).__init__((DayInput(), time()))

    def value_from_datadict(self, *args: Any) -> list[Any]:
        """Return day and time as typed, with midnight for an empty time."""
        day, time = super().value_from_datadict(*args)
        return [day, time or ("00:00:00" if day else time)]


class DayOfMomentInput(MomentInput):
    """Day alone. A stored time of day is kept in a hidden field; without a day there is no moment."""

    def __init__(self) -> None:
        super().__init__(forms.HiddenInput)

    def value_from_datadict(self, *args: Any) -> list[Any]:
        """Return the day as typed and the hidden time, or neither if the day was cleared."""
        day, time = super().value_from_datadict(*args)
        return [day, time if day else ""]


def _is_day(text: str) -> bool:
    try:
        return parse_date(text) is not None
    except ValueError:
        return False
