"""Admin pages of the texts of the page “About”."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import admin
from django.http import HttpRequest

from foa.web.admin_history import HistoryAdmin
from ratings.office.about import text_of_software
from ratings.office.models import AboutText


@admin.register(AboutText)
class AboutTextAdmin(HistoryAdmin[AboutText]):
    """Admin pages of the office's own texts. A new one begins with that of the software."""

    list_display = ("language",)

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """Return the language that the address asks for, with the text of the software."""
        asked = request.GET.get("language", "")
        language = asked if asked in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE
        return {"language": language, "text": text_of_software(language)}
