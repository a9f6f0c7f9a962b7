"""Schemathesis: no request gets a 500, or an answer that the OpenAPI document doesn't describe.

``SCHEMATHESIS_EXAMPLES=1000 pytest tests/arena/test_any_input.py`` sends so many requests to each operation.
"""

import json
import os
from copy import deepcopy

import pytest
import schemathesis
from django.contrib.auth.models import User
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode, checks

from ratings.arena.api.parsing import LINES, NDJSON
from ratings.arena.api.schema import openapi
from tests.arena.conftest import program
from tests.arena.examples import furnish_examples
from tests.histories import at_most

pytestmark = [pytest.mark.django_db, pytest.mark.long]

EXAMPLES = int(os.environ.get("SCHEMATHESIS_EXAMPLES", at_most(20)))

CHECKS = [
    checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
    # What the document allows is taken, and nothing else; schemathesis.toml has the exceptions.
    checks.positive_data_acceptance,
    checks.negative_data_rejection,
]


@schemathesis.serializer(LINES)
def as_a_line(_context, value):
    """A body of one line."""
    return json.dumps(value, default=str).encode() + b"\n"


@schemathesis.deserializer(LINES, NDJSON)
def first_line(_context, response):
    """What the answer says of it."""
    return json.loads(response.content.splitlines()[0])


def by_line(document):
    """The document with objects for lines, so that each request sends a game and not any bytes."""
    document = deepcopy(document)
    for operation in (one for methods in document["paths"].values() for one in methods.values()):
        if "requestBody" in operation:
            operation["requestBody"]["required"] = True
        for body in (operation.get("requestBody", {}), *operation["responses"].values()):
            for told in body.get("content", {}).values():
                told["schema"] = told["schema"].get("contentSchema", told["schema"])
    return document


SCHEMA = schemathesis.openapi.from_dict(by_line(openapi()))
SCHEMA.app = get_wsgi_application()
OPERATIONS = {one.ok().label: one.ok() for one in SCHEMA.get_all_operations()}


@pytest.fixture
def _one_transaction():
    """A request would leave the transaction of the test with its connection."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.mark.usefixtures("_one_transaction", "_hosts_are_public")
@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)
def test_every_answer_is_described_and_none_is_a_fault(api, operation):
    furnish_examples()
    if operation.definition.raw["security"] == [{"token": ["reports"]}]:
        api = program(User.objects.get(username="olga"))
    # Schemathesis does not unpack what is compressed.
    headers = {"Authorization": api.defaults["HTTP_AUTHORIZATION"], "Accept-Encoding": "identity"}
    modes = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
    requests = operation.as_strategy(modes[0]) | operation.as_strategy(modes[1])

    @settings(
        max_examples=EXAMPLES,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    )
    @given(requests)
    def ask(case):
        case.call_and_validate(checks=CHECKS, headers=headers)

    ask()
