"""The base of all API addresses."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.views import APIView

from ratings.formats.problems import readable


class ApiView(APIView):
    """An address of the API. It refuses query parameters that its description doesn't have."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Also refuse unknown parameters; raises ValidationError naming each of them."""
        super().initial(request, *args, **kwargs)
        # A method that the address doesn't have is refused as such, whatever its parameters are.
        handler = getattr(self, (request.method or "").lower(), None)
        if handler is not None and request.query_params and request.method != "OPTIONS":
            known = self._parameters(handler)
            if unknown := [name for name in request.query_params if name not in known]:
                told = _("This address has no such parameter. It takes %(names)s.")
                told = told % {"names": ", ".join(known)} if known else _("This address has no parameters.")
                raise ValidationError({readable(name[:40]): [told] for name in unknown})

    def _parameters(self, handler: Any) -> list[str]:
        """Return the query parameters that the ``extend_schema`` of a method declares, by name."""
        names: set[str] = set()
        if described := getattr(handler, "kwargs", {}).get("schema"):
            schema = described()
            schema.view = self
            for one in schema.get_override_parameters():
                if not isinstance(one, OpenApiParameter):
                    names.update(one().fields)  # each field of a serializer is a parameter
                elif one.location == OpenApiParameter.QUERY:
                    names.add(one.name)
        return sorted(names)
