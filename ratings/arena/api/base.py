"""The base of all API addresses."""

from __future__ import annotations

import re
from typing import Any, Final

from django.utils.translation import gettext as _
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.views import APIView

from ratings.arena.api.schema import openapi
from ratings.formats.problems import readable

_PART: Final = re.compile(r"<(?:\w+:)?(\w+)>")


class ApiView(APIView):
    """An address of the API. It refuses query parameters that its description doesn't have."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Also refuse unknown parameters; raises ValidationError naming each of them."""
        super().initial(request, *args, **kwargs)
        # A method that the address doesn't have is refused as such, whatever its parameters are.
        has_method = hasattr(self, (request.method or "").lower())
        if has_method and request.query_params and request.resolver_match:
            known = _parameters(_PART.sub(r"{\1}", request.resolver_match.route), request.method or "")
            if unknown := [name for name in request.query_params if name not in known]:
                told = _("This address has no such parameter. Known are %(names)s.")
                told = told % {"names": ", ".join(known)} if known else _("This address has no parameters.")
                raise ValidationError({readable(name[:40]): [told] for name in unknown})


def _parameters(path: str, method: str) -> list[str]:
    """Return the query parameters of an operation, in the order of the description."""
    methods = openapi()["paths"].get(f"/{path}", {})
    operation = methods.get(method.lower(), {})
    return [one["name"] for one in operation.get("parameters", ()) if one["in"] == "query"]
