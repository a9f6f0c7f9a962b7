"""Passkeys in a browser: made, used as second step, used without a password, removed."""

import pytest
from django_otp_webauthn.models import WebAuthnCredential
from playwright.sync_api import expect

from tests.browser.conftest import PASSWORD, log_out

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def authenticator(page):
    """A passkey store of the browser, as phones and laptops have one."""
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    session.send(
        "WebAuthn.addVirtualAuthenticator",
        {
            "options": {
                "protocol": "ctap2",
                "transport": "internal",
                "hasResidentKey": True,
                "hasUserVerification": True,
                "isUserVerified": True,
                "automaticPresenceSimulation": True,
            }
        },
    )


def test_a_passkey_is_made_and_is_then_asked_for_or_logs_in_alone(
    page, live_server, arena, log_in, authenticator, complaints
):
    log_in("anna")
    page.locator(".account summary").click()
    page.get_by_role("link", name="My account").click()
    page.get_by_role("link", name="Add a passkey").click()
    page.get_by_role("button", name="Create a passkey").click()
    expect(page.get_by_role("button", name="Remove Passkey (Chrome, Linux)")).to_be_visible()
    expect(page.get_by_text("You have no recovery codes.")).to_be_visible()
    page.get_by_role("button", name="Create new recovery codes").click()
    expect(page.get_by_role("listitem").locator("code")).to_have_count(10)

    log_out(page)
    page.goto(f"{live_server.url}/login/?next=/members/")
    page.get_by_label("Username").fill("anna")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Second step")
    page.goto(f"{live_server.url}/games/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Second step")
    page.get_by_role("button", name="Use a passkey").click()
    expect(page).to_have_url(f"{live_server.url}/games/")

    log_out(page)
    page.goto(f"{live_server.url}/login/?next=/account/")
    page.get_by_role("button", name="Use a passkey").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("My account")
    expect(page.get_by_text("this session")).to_be_visible()

    page.get_by_role("button", name="Remove Passkey (Chrome, Linux)").click()
    expect(page.get_by_role("button", name="Remove Passkey")).to_have_count(0)
    assert not WebAuthnCredential.objects.exists()
    assert not complaints


def test_a_passkey_whose_answer_is_wrong_logs_nobody_in(page, live_server, arena, log_in, authenticator):
    log_in("anna")
    page.goto(f"{live_server.url}/account/passkey/")
    page.get_by_role("button", name="Create a passkey").click()
    expect(page.get_by_role("button", name="Remove Passkey")).to_be_visible()
    log_out(page)
    WebAuthnCredential.objects.update(public_key=b"\xa0")
    page.goto(f"{live_server.url}/login/")
    page.get_by_role("button", name="Use a passkey").click()
    expect(page.get_by_role("status")).not_to_have_text("")
    page.goto(f"{live_server.url}/account/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Log in")
