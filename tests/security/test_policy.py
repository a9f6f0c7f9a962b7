"""Browsers report what the content security policy has stopped. Whatever comes, nothing of it is a fault."""

import json
import logging
from itertools import count

import pytest
from django.test import Client, RequestFactory
from hypothesis import given
from hypothesis import strategies as st

from foa.policy import policy_reports

OLDER, NEWER = "application/csp-report", "application/reports+json"


def send(body, kind=OLDER, **more):
    """The status of the answer to a body, as a browser sends it: with no token of a form."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    client = Client(enforce_csrf_checks=True, REMOTE_ADDR="198.51.100.1")
    response = client.post("/csp-reports/", content, content_type=kind, **more)
    assert response.content == b""
    return response.status_code


def noted(caplog):
    """What is in the log of reports."""
    return [record.getMessage() for record in caplog.records if record.name == "foa.policy"]


def report(**more):
    return {
        "csp-report": {
            "document-uri": "https://ratings.example/password/new/MQ/secret-token/?name=anna",
            "referrer": "https://ratings.example/?secret",
            "violated-directive": "script-src-elem",
            "effective-directive": "script-src-elem",
            "original-policy": "default-src 'self'",
            "blocked-uri": "https://anna:password@elsewhere.example:8443/x.js?of=anna",
            "script-sample": "secret",
            **more,
        }
    }


def test_one_line_says_what_was_stopped_and_nothing_of_anybody(caplog):
    assert send(report()) == 204
    (line,) = noted(caplog)
    assert line == (
        "Stopped by the content security policy: script-src-elem stopped elsewhere.example:8443 "
        "on password_reset_confirm"
    )


def test_the_newer_kind_brings_several(caplog):
    body = {
        "effectiveDirective": "style-src",
        "blockedURL": "inline",
        "documentURL": "https://x.example/members/",
    }
    assert send([{"type": "csp-violation", "body": body, "url": "https://x.example/"}] * 2, NEWER) == 204
    assert (
        noted(caplog)
        == ["Stopped by the content security policy: style-src stopped inline on members:list"] * 2
    )


@pytest.mark.parametrize(
    ("more", "line"),
    [
        ({"blocked-uri": "eval"}, "script-src-elem stopped eval on password_reset_confirm"),
        ({"blocked-uri": "data"}, "script-src-elem stopped data on password_reset_confirm"),
        ({"blocked-uri": "data:text/html,secret"}, "script-src-elem stopped data: on password_reset_confirm"),
        ({"blocked-uri": "https://[::1/"}, "script-src-elem stopped unknown on password_reset_confirm"),
        ({"blocked-uri": "https://a\nb/"}, "script-src-elem stopped ab on password_reset_confirm"),
        ({"blocked-uri": ["inline"]}, "script-src-elem stopped unknown on password_reset_confirm"),
        ({"effective-directive": "a\nb"}, "a stopped elsewhere.example:8443 on password_reset_confirm"),
        ({"effective-directive": 7}, "unknown stopped elsewhere.example:8443 on password_reset_confirm"),
        ({"document-uri": "https://x/nowhere/"}, "script-src-elem stopped elsewhere.example:8443 on unknown"),
        ({"document-uri": None}, "script-src-elem stopped elsewhere.example:8443 on unknown"),
    ],
)
def test_no_line_has_more_than_a_directive_a_host_and_a_kind_of_page(caplog, more, line):
    assert send(report(**more)) == 204
    assert noted(caplog) == [f"Stopped by the content security policy: {line}"]


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b"", OLDER, 415),
        (b"{", OLDER, 400),
        (b"\xff", NEWER, 400),
        (b"[" * 15_000, NEWER, 400),
        (b"1" * 10_000, NEWER, 400),
        (b"x" * 16_385, OLDER, 413),
        (b"{}", "application/json", 415),
        (b"{}", "text/html", 415),
        (b"{}", "application/csp-report; charset=utf-8", 204),
        (b"[]", NEWER, 204),
        (b"null", OLDER, 204),
        (b'[{"body": []}, 7, {"csp-report": "x"}]', NEWER, 204),
    ],
)
def test_what_is_no_report_is_refused_or_passed_over(caplog, body, kind, status):
    assert send(body, kind) == status
    assert noted(caplog) == []


def test_only_the_first_ten_of_a_body_are_noted(caplog):
    assert send([{"body": {}}] * 200, NEWER) == 204
    assert len(noted(caplog)) == 10


def test_an_address_is_heard_sixty_times_an_hour(caplog):
    assert [send(b"[]", NEWER) for _ in range(61)] == [204] * 60 + [429]
    assert Client(REMOTE_ADDR="198.51.100.2").post("/csp-reports/", b"[]", NEWER).status_code == 204


@pytest.mark.django_db
@pytest.mark.rendered
def test_nobody_reads_there():
    assert Client().get("/csp-reports/").status_code == 405


ADDRESSES = count(1)
NAMES = st.sampled_from(
    ["csp-report", "body", "effective-directive", "effectiveDirective", "blocked-uri", "documentURL"]
)
WORDS = st.one_of(
    st.text(), st.sampled_from(["inline", "https://[x", "//", "/members/99999999999999999999/", "\ud800"])
)
ANYTHING = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), WORDS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.one_of(NAMES, WORDS), inner)),
)


@given(st.one_of(st.binary(max_size=200), ANYTHING.map(lambda one: json.dumps(one).encode())))
def test_any_body_is_answered_and_no_line_has_two(body):
    heard = []
    handler = logging.Handler()
    handler.emit = lambda record: heard.append(record.getMessage())
    logger = logging.getLogger("foa.policy")
    logger.addHandler(handler)
    try:
        for kind in (OLDER, NEWER):
            address = f"2001:db8:{next(ADDRESSES):x}::1"
            request = RequestFactory().post("/csp-reports/", body, kind, REMOTE_ADDR=address)
            assert policy_reports(request).status_code in ((204, 400) if body else (415,))
    finally:
        logger.removeHandler(handler)
    assert all(line.isascii() and line.isprintable() and len(line) < 400 for line in heard)


@pytest.mark.django_db
@pytest.mark.parametrize("https", [True, False])
def test_the_policy_names_the_address_of_reports(settings, https):
    settings.HTTPS = https
    page = Client().get("/login/")
    assert "report-uri /csp-reports/" in page["Content-Security-Policy"]
    assert page.get("Reporting-Endpoints") == ('csp="/csp-reports/"' if https else None)
