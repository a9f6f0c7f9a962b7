"""The OpenAPI document: complete, valid, shown at /api/, and its examples are true."""

import json
import os
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import RequestFactory
from django.urls import resolve
from django.utils import translation
from jsonschema import Draft202012Validator

from ratings.arena.api import schema as document
from ratings.arena.api.parsing import LINES, NDJSON
from ratings.arena.api.reference import example_address
from ratings.arena.api.schema import openapi
from ratings.arena.api.streams import EVENTS
from tests.arena.conftest import program
from tests.arena.examples import furnish_examples
from tests.pages import is_friendly, words

OPERATIONS = [
    (path, method, operation)
    for path, methods in openapi()["paths"].items()
    for method, operation in methods.items()
]
NAMES = [operation["operationId"] for _path, _method, operation in OPERATIONS]


def is_valid(value, schema):
    """Whether a value is what the document says; raises with what is not."""
    document = {"$ref": "#/schema", "schema": schema, "components": openapi()["components"]}
    Draft202012Validator(document, format_checker=Draft202012Validator.FORMAT_CHECKER).validate(value)
    return True


def undocumented(value, schema):
    """Names in a value that the document doesn’t have."""
    if "$ref" in schema:
        schema = openapi()["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    for together in ("allOf", "oneOf", "anyOf"):
        for one in schema.get(together, ()):
            if "$ref" in one:
                return undocumented(value, one)
    if isinstance(value, list):
        return {name for one in value for name in undocumented(one, schema.get("items", {}))}
    if isinstance(value, dict) and "properties" in schema:
        known = schema["properties"]
        within = {
            name for key in value.keys() & known.keys() for name in undocumented(value[key], known[key])
        }
        return within | value.keys() - known.keys()
    return set()


def content_of(body):
    """The schema of a body, or of each line of it."""
    return body["schema"].get("contentSchema", body["schema"])


def bodies(operation):
    """Media type and value of each example of a body; one empty body where there are none."""
    content = operation.get("requestBody", {}).get("content", {})
    found = [
        (media, example["value"])
        for media, body in content.items()
        for example in body.get("examples", {}).values()
    ]
    assert found or not content, "an operation with a body has an example"
    return found or [("application/json", None)]


def test_the_document_is_valid_and_the_generator_has_no_doubts():
    call_command("spectacular", "--validate", "--fail-on-warn", stdout=StringIO())


@pytest.mark.django_db
def test_the_document_is_english_for_everybody(client):
    with translation.override("pl"):
        document._openapi.cache_clear()
        assert openapi()["paths"]["/api/v1/members"]["get"]["parameters"][0]["description"].isascii()
    document._openapi.cache_clear()
    answer = client.get("/api/v1/schema", headers={"accept-language": "pl"})
    assert answer["Content-Type"] == "application/json"
    assert answer.json()["openapi"].startswith("3.1")


@pytest.mark.parametrize(("path", "method", "operation"), OPERATIONS, ids=NAMES)
def test_every_operation_tells_of_bad_requests_and_of_too_many(path, method, operation):
    needed = {"400", "404", "429"}
    if operation["security"] != [{}]:
        needed |= {"401", "403"}
    if "requestBody" in operation:
        needed |= {"411", "413", "415", "422"}
    assert needed <= operation["responses"].keys()
    for status, answer in operation["responses"].items():
        if status in needed:
            assert "application/problem+json" in answer["content"]


@pytest.mark.django_db
@pytest.mark.usefixtures("_hosts_are_public")
@pytest.mark.parametrize(("path", "method", "operation"), OPERATIONS, ids=NAMES)
def test_each_example_gets_the_documented_answer(api, path, method, operation):
    furnish_examples()
    if operation["security"] == [{"token": ["reports"]}]:
        api = program(User.objects.get(username="olga"))
    for media, body in bodies(operation):
        lined = media == LINES
        content = b"" if body is None else json.dumps(body).encode() + b"\n" * lined
        if isinstance(body, str):
            content = body.encode()  # a file
        address = example_address(path, operation)
        assert "{" not in address, "each part of an address has an example"
        answer = api.generic(method.upper(), address, content, content_type=media)
        assert 200 <= answer.status_code < 300, answer.content.decode()
        described = operation["responses"][str(answer.status_code)].get("content", {})
        told = answer.headers.get("Content-Type", "").partition(";")[0]
        assert told in described or not (described or answer.content)
        if described:
            text = b"".join(answer) if answer.streaming else answer.content
            if told == EVENTS:
                continue
            for value in text.splitlines() if told in (LINES, NDJSON) else [text]:
                assert is_valid(json.loads(value), content_of(described[told]))
                assert not undocumented(json.loads(value), content_of(described[told]))


@pytest.mark.django_db
def test_the_page_has_every_operation_and_object(client):
    page = client.get("/api/")
    assert page.status_code == 200
    assert is_friendly(page)
    html = page.content.decode()
    for path, method, operation in OPERATIONS:
        assert f'id="{operation["operationId"]}"' in html
        assert f"{method.upper()} {path}" in html
    for name in openapi()["components"]["schemas"]:
        if f'href="#object-{name}"' in html:
            assert f'id="object-{name}"' in html
    text = words(page)
    assert "GET /api/v1/members/anna" in text
    assert "Body: lines of SentLineRequest (application/octet-stream)" in text
    assert 'POST /api/v1/games Content-Type: application/x-ndjson {"id": "4711", ' in text
    assert "lines of LineVerdict (application/x-ndjson)" in text
    assert "<script>" not in html
    assert " style=" not in html


@pytest.mark.django_db
def test_every_page_leads_to_it(client):
    assert 'href="/api/"' in client.get("/lists/").content.decode()


def test_objects_that_are_sent_have_no_other_fields_and_every_reading_may_be_304():
    sent = {name: told for name, told in openapi()["components"]["schemas"].items() if "Request" in name}
    assert {"MemberRequest", "SpanRequest", "SentGameRequest", "WebhookRequest"} <= sent.keys()
    assert {told["additionalProperties"] for told in sent.values()} == {False}
    assert all("304" in one["responses"] for _path, method, one in OPERATIONS if method == "get")


def test_lines_are_text_whose_lines_are_described_as_generated_clients_know_no_ndjson():
    operation = openapi()["paths"]["/api/v1/games"]["post"]
    sent, answered = operation["requestBody"]["content"], operation["responses"]["200"]["content"]
    assert (list(sent), list(answered)) == ([LINES], [NDJSON, LINES])
    for body, name in ((sent[LINES], "SentLineRequest"), (answered[NDJSON], "LineVerdict")):
        assert body["schema"] == {
            "type": "string",
            "format": "binary",
            "contentMediaType": "application/x-ndjson",
            "contentSchema": {"$ref": f"#/components/schemas/{name}"},
        }


def test_the_schema_tells_the_limits_of_filters_and_that_they_may_be_empty():
    filters = {
        one["name"]: one
        for path in ("all-games", "ratings/{category}", "lists", "changes")
        for one in openapi()["paths"][f"/api/v1/{path}"]["get"]["parameters"]
    }
    assert {name: filters[name]["schema"] for name in ("player", "games", "year", "federation", "since")} == {
        "player": {"type": "string", "pattern": r"^[^\x00]*$", "maxLength": 150},
        "games": {"type": "integer", "minimum": 0, "maximum": 1_000_000},
        "year": {"type": "integer", "minimum": 1, "maximum": 2999},
        "federation": {"type": "string", "pattern": "^[A-Z]{3}$"},
        "since": {"type": "string", "format": "date"},
    }
    optional = [one for one in filters.values() if one["in"] == "query"]
    assert {one["allowEmptyValue"] for one in optional} == {True}
    assert not {one.get("required", False) for one in optional} - {False}


@pytest.mark.django_db
@pytest.mark.parametrize(
    "address",
    [
        "all-games?player=&since=&limit=&after=&category=&rated=",
        "ratings/blitz?games=&federation=&title=&active=&as_of=",
        "lists/blitz/compare?from=&to=&show=",
        "changes?after=&format=&member=&category=&events=&wait=&limit=",
        "games/4711?explain=",
    ],
)
def test_a_parameter_without_a_value_is_as_if_left_out(api, address):
    furnish_examples()
    with_names, without = (
        api.get(f"/api/v1/{one}").getvalue() for one in (address, address.partition("?")[0])
    )
    assert json.loads(with_names) == json.loads(without)


@pytest.mark.parametrize("name", openapi()["components"]["schemas"])
def test_no_field_has_a_default_as_generated_typescript_would_require_it(name):
    fields = openapi()["components"]["schemas"][name].get("properties", {})
    assert [field for field, told in fields.items() if "default" in told] == []


@pytest.mark.parametrize("name", openapi()["components"]["schemas"])
def test_no_object_has_a_field_of_its_own_name_as_generated_python_would_be_wrong(name):
    fields = openapi()["components"]["schemas"][name].get("properties", {})
    assert name.casefold() not in {field.replace("_", "").casefold() for field in fields}


@pytest.mark.process
@pytest.mark.long
def test_a_python_client_is_generated_from_it_whole_and_with_right_types(tmp_path):
    schema, client = tmp_path / "schema.json", tmp_path / "client"
    schema.write_text(json.dumps(openapi()))
    tools = Path(sys.executable).parent
    on_path = {**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    options = ("--path", schema, "--output-path", client, "--fail-on-warning")
    for command in (
        (tools / "openapi-python-client", "generate", *options),
        (tools / "mypy", "--strict", "--config-file=", "--cache-dir", tmp_path, client),
    ):
        done = subprocess.run(command, env=on_path, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    (module,) = client.glob("*/api/games/send_games.py")
    assert "body: File" in module.read_text()


@pytest.mark.parametrize(("path", "method", "operation"), OPERATIONS, ids=NAMES)
def test_an_address_takes_the_parameters_of_the_document_and_no_others(path, method, operation):
    view = resolve(example_address(path, operation).partition("?")[0]).func.cls()
    view.setup(RequestFactory().generic(method.upper(), "/"))
    known = [one["name"] for one in operation.get("parameters", ()) if one["in"] == "query"]
    assert view._parameters(getattr(view, method)) == sorted(known)


def test_a_request_with_parameters_does_not_wait_until_the_document_is_made(client, db):
    document._openapi.cache_clear()
    assert client.get("/api/v1/members?limit=1").status_code == 200
    assert document._openapi.cache_info().currsize == 0
