"""What a request says of its host, its scheme and its page is repeated to nobody else."""

import re

import pytest
from django.core.checks import Tags, run_checks
from django.test import Client

from tests.account.people import account

pytestmark = pytest.mark.django_db


def test_a_link_to_a_new_password_leads_to_the_site_whatever_host_was_asked(
    client, settings, worker, mailoutbox
):
    settings.ALLOWED_HOSTS = ["*"]
    settings.SITE_URL = "https://ratings.example"
    account(email="anna@arena.example")
    client.post(
        "/password/forgotten/",
        {"email": "anna@arena.example"},
        headers={"host": "evil.example:8443", "x-forwarded-host": "evil.example"},
    )
    worker()
    (mail,) = mailoutbox
    assert re.findall(r"https?://[^/\s]+", mail.body) == ["https://ratings.example"]
    assert "evil" not in mail.body + mail.subject


@pytest.mark.usefixtures("pages_kept")
def test_a_visitor_gets_no_page_that_another_had_by_another_scheme_or_host(settings):
    """Pages have addresses of pictures with both, and are kept for all visitors."""
    settings.ALLOWED_HOSTS = ["testserver", "evil.example"]
    bad = Client().get("/members/", secure=True, headers={"host": "evil.example"})
    assert "https://evil.example" in bad.text
    for headers in ({"x-forwarded-host": "evil.example"}, {"x-forwarded-proto": "https"}, {}):
        page = Client().get("/members/", headers=headers).text
        assert "evil.example" not in page
        assert "http://testserver/" in page
        assert "https://testserver/" not in page
    assert "https://testserver/" in Client().get("/members/", secure=True).text


@pytest.mark.parametrize(
    "address", ["//evil.example", "https:evil.example", "/\\evil.example", "javascript:1"]
)
@pytest.mark.parametrize("page", ["/login/", "/language/set/", "/admin/login/"])
def test_no_page_leads_on_to_another_site(client, page, address):
    account(is_staff=True)
    posted = {"username": "anna", "password": "correct horse battery", "language": "en", "next": address}
    assert client.post(page, posted)["Location"] in ("/my-ratings/", "/admin/", "/")


@pytest.mark.parametrize("address", ["//evil.example", "https://evil.example/", "/\\evil.example"])
def test_nor_does_the_page_that_asks_for_the_password_again(client, address):
    client.force_login(account())
    posted = {"password": "correct horse battery", "next": address}
    assert client.post("/account/confirm/", posted)["Location"] == "/my-ratings/"


@pytest.mark.parametrize("text", ["a%0d%0aSet-Cookie:%20x=y", "a%0aLocation:%20https://evil.example"])
def test_no_line_of_an_address_becomes_a_header(client, text):
    for address in (f"/search/?q={text}", f"/members/{text}", f"/my-ratings/?of={text}"):
        response = client.get(address)
        assert response.status_code < 500
        assert "x" not in response.cookies
        assert all("\n" not in value and "\r" not in value for value in response.headers.values())


def test_no_address_of_mail_adds_a_header(client, worker, mailoutbox):
    account(email="anna@arena.example")
    for more in ("\nBcc: evil@arena.example", "\r\nSubject: evil", "%0aBcc: evil@arena.example"):
        assert client.post("/password/forgotten/", {"email": f"anna@arena.example{more}"}).status_code == 200
    worker()
    assert mailoutbox == []


@pytest.mark.parametrize(
    "host",
    ["https://ratings.example", "ratings.example/", "ratings.example:443", "ratings example", "", "[::1"],
)
def test_an_entry_that_no_host_can_match_is_named(settings, host):
    settings.ALLOWED_HOSTS = ["ratings.example", ".ratings.example", "127.0.0.1", "[::1]", "*", host]
    (fault,) = run_checks(tags=[Tags.security])
    assert (fault.id, fault.msg) == ("foa.E033", f"ALLOWED_HOSTS: “{host}” isn’t a host.")


@pytest.mark.parametrize("contact", ["security", "security@", "http://ratings.example/report", ""])
def test_a_contact_that_nobody_can_use_is_named(settings, contact):
    settings.SECURITY_CONTACT = ["security@ratings.example", "https://ratings.example/report", contact]
    (fault,) = run_checks(tags=[Tags.security])
    assert (fault.id, fault.msg) == (
        "foa.E033",
        f"SECURITY_CONTACT: “{contact}” isn’t a mail address or URL.",
    )
