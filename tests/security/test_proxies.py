"""Who asks: what a trusted proxy says of it counts, and what anybody else says doesn't."""

import pytest
from django.core.checks import run_checks
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpResponse
from django.test import Client, RequestFactory

from foa.proxies import believe_trusted_proxies, origin, trusted_proxies
from tests.account.people import PASSWORD, account, log_in
from tests.pages import words

PROXY = "10.0.0.5"
ANNA, BORIS = "198.51.100.1", "198.51.100.2"


def seen(settings, trusted, address, forwarded=None, proto=None):
    """Address and headers of a request, as the site sees it."""
    settings.TRUSTED_PROXIES = trusted
    request = RequestFactory().get("/", REMOTE_ADDR=address)
    for name, value in (("FOR", forwarded), ("PROTO", proto)):
        if value is not None:
            request.META[f"HTTP_X_FORWARDED_{name}"] = value
    believe_trusted_proxies(lambda request: HttpResponse())(request)
    assert "HTTP_X_FORWARDED_FOR" not in request.META
    return request.META["REMOTE_ADDR"], request.META.get("HTTP_X_FORWARDED_PROTO")


@pytest.mark.parametrize(
    ("trusted", "address", "forwarded", "found"),
    [
        # Nobody is trusted: the header is anybody's word.
        ([], PROXY, ANNA, PROXY),
        (["10.0.0.6"], PROXY, ANNA, PROXY),
        (["unix"], "127.0.0.1", ANNA, "127.0.0.1"),
        # A proxy adds whom it saw at the end. What stands before came with the request.
        ([PROXY], PROXY, ANNA, ANNA),
        ([PROXY], PROXY, f"{BORIS}, {ANNA}", ANNA),
        ([PROXY], PROXY, f"10.0.0.9,127.0.0.1 , {ANNA}", ANNA),
        # Two proxies, one behind the other.
        (["10.0.0.0/24", "2001:db8::/32"], PROXY, f"{BORIS}, {ANNA}, 2001:db8::7", ANNA),
        ([PROXY], PROXY, f"{ANNA}, 10.0.0.9", "10.0.0.9"),
        # The first proxy itself asks.
        (["10.0.0.0/24"], PROXY, "10.0.0.9, 10.0.0.8", "10.0.0.9"),
        # What isn't an address ends the reading.
        ([PROXY], PROXY, "", PROXY),
        ([PROXY], PROXY, None, PROXY),
        ([PROXY], PROXY, f"{ANNA}, unknown", PROXY),
        (["10.0.0.0/24"], PROXY, f"{ANNA}, <script>, 10.0.0.9", "10.0.0.9"),
        ([PROXY], PROXY, f"{ANNA}:8000", PROXY),
        # A unix socket has no address.
        (["unix"], "", ANNA, ANNA),
        (["unix", "10.0.0.9"], "", f"{ANNA}, 10.0.0.9", ANNA),
        (["unix"], "", None, ""),
        ([PROXY], "", ANNA, ""),
        # One socket for both kinds of address.
        ([PROXY], f"::ffff:{PROXY}", f"::ffff:{ANNA}", ANNA),
        ([PROXY], PROXY, "2001:DB8:0::1", "2001:db8::1"),
    ],
)
def test_the_address_is_that_which_the_last_trusted_proxy_saw(settings, trusted, address, forwarded, found):
    assert seen(settings, trusted, address, forwarded)[0] == found


@pytest.mark.parametrize(("trusted", "kept"), [([], None), (["unix"], None), ([PROXY], "https")])
def test_only_a_trusted_proxy_says_that_a_request_came_by_tls(settings, trusted, kept):
    assert seen(settings, trusted, PROXY, ANNA, "https")[1] == kept


@pytest.mark.parametrize(("address", "secure"), [(PROXY, 200), ("10.0.0.6", 301)])
@pytest.mark.django_db
def test_whoever_says_https_without_being_trusted_is_sent_to_https(settings, address, secure):
    settings.TRUSTED_PROXIES = [PROXY]
    settings.SECURE_SSL_REDIRECT = True
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    client = Client(REMOTE_ADDR=address, headers={"X-Forwarded-Proto": "https"})
    assert client.get("/login/").status_code == secure


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        (ANNA, ANNA),
        ("", "0.0.0.0"),
        # A customer of a provider has 2^64 addresses.
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("::1", "::"),
    ],
)
def test_limits_count_by_an_address_or_by_the_network_of_a_customer(address, counted):
    assert origin(RequestFactory().get("/", REMOTE_ADDR=address)) == counted


@pytest.mark.parametrize("entry", ["*", "10.0.0.5/8", "proxy.example", "", "Unix"])
def test_an_entry_that_cannot_be_read_stops_the_site_at_its_start(settings, entry):
    settings.TRUSTED_PROXIES = [entry]
    with pytest.raises(ImproperlyConfigured, match=r"^TRUSTED_PROXIES: "):
        believe_trusted_proxies(lambda request: HttpResponse())
    assert "foa.E031" in [one.id for one in run_checks()]


@pytest.mark.parametrize("entry", ["0.0.0.0/0", "::/0"])
def test_nobody_trusts_everybody(entry):
    with pytest.raises(ImproperlyConfigured, match="is everybody"):
        trusted_proxies([entry])


@pytest.mark.parametrize(
    ("https", "trusted", "warned"),
    [(True, [], True), (True, ["unix"], False), (False, [], False)],
)
def test_an_operator_whose_proxy_is_not_trusted_is_warned(settings, https, trusted, warned):
    settings.HTTPS, settings.TRUSTED_PROXIES = https, trusted
    found = [one.id for one in run_checks(include_deployment_checks=True)]
    assert ("foa.W030" in found) == warned


def guess(address, password="wrong", proxy=PROXY):
    """Log in as anna from an address, through the proxy."""
    client = Client(REMOTE_ADDR=proxy, headers={"X-Forwarded-For": f"192.0.2.99, {address}"})
    return client.post("/login/", {"username": "anna", "password": password})


@pytest.mark.parametrize("proxy", [PROXY, ""])
@pytest.mark.django_db
def test_behind_a_proxy_wrong_guesses_of_one_visitor_stop_no_other(settings, proxy):
    settings.TRUSTED_PROXIES = [PROXY, "unix"]
    account()
    for _ in range(5):
        guess(BORIS, proxy=proxy)
    assert guess(BORIS, PASSWORD, proxy).status_code == 429
    assert guess(ANNA, PASSWORD, proxy)["Location"] == "/my-ratings/"


@pytest.mark.parametrize("address", [PROXY, ""])
@pytest.mark.django_db
def test_whoever_makes_up_addresses_is_stopped_all_the_same(settings, address):
    settings.TRUSTED_PROXIES = []
    account()
    for number in range(5):
        guess(f"198.51.100.{number}", proxy=address)
    assert guess(ANNA, PASSWORD, address).status_code == 429


@pytest.mark.django_db
def test_whoever_has_a_network_of_addresses_is_stopped_all_the_same(settings):
    settings.TRUSTED_PROXIES = [PROXY]
    account()
    for number in range(5):
        guess(f"2001:db8:1:2::{number}")
    assert guess("2001:db8:1:2:ffff::1", PASSWORD).status_code == 429
    assert guess("2001:db8:1:3::1", PASSWORD).status_code == 302


@pytest.mark.django_db
def test_guesses_from_many_addresses_stop_browsers_that_were_never_logged_in_there(settings):
    """ASVS 2.2.1: at most a hundred an hour for one login, and its owner isn't locked out."""
    settings.TRUSTED_PROXIES = [PROXY]
    of_anna, of_boris = account(), account("boris")
    at_home, elsewhere = Client(REMOTE_ADDR="198.51.100.7"), Client(REMOTE_ADDR="198.51.100.8")
    for client, who in ((at_home, of_anna), (elsewhere, of_boris)):
        assert log_in(client, who.username).status_code == 302
        client.post("/logout/")
    for number in range(24):
        assert guess(f"198.51.101.{number}").status_code == 200
    assert guess("198.51.102.1", PASSWORD)["Location"] == "/my-ratings/"
    assert guess("198.51.102.2").status_code == 429
    assert guess("198.51.102.3", PASSWORD).status_code == 429
    # A browser is known for its own login alone, and not by a cookie that somebody has made up.
    assert log_in(elsewhere).status_code == 429
    elsewhere.cookies["known_browser"] = f"{of_anna.pk}:x:y"
    assert log_in(elsewhere).status_code == 429
    assert log_in(elsewhere, "boris").status_code == 302
    assert log_in(at_home).status_code == 302


@pytest.mark.django_db
def test_requests_of_the_api_are_counted_by_the_same_address(settings):
    settings.TRUSTED_PROXIES, settings.API_REQUESTS_OF_VISITOR = [PROXY], 2

    def statuses(address, addresses):
        return [
            Client(REMOTE_ADDR=address, headers={"X-Forwarded-For": one}).get("/api/v1/members").status_code
            for one in addresses
        ]

    assert statuses(PROXY, [f"192.0.2.{number}, {ANNA}" for number in range(3)]) == [200, 200, 429]
    assert statuses(PROXY, [BORIS]) == [200]
    assert statuses("203.0.113.9", [f"192.0.2.{number}" for number in range(3)]) == [200, 200, 429]


@pytest.mark.django_db
def test_the_list_of_sessions_shows_who_was_behind_the_proxy(settings):
    settings.TRUSTED_PROXIES = [PROXY]
    account()
    client = Client(REMOTE_ADDR=PROXY, headers={"X-Forwarded-For": f"192.0.2.99, {ANNA}"})
    client.post("/login/", {"username": "anna", "password": PASSWORD})
    page = words(client.get("/account/"))
    assert f"{ANNA} this session" in page
    assert "192.0.2.99" not in page
