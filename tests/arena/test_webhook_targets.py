"""Where webhooks may lead."""

from ipaddress import ip_address

import pytest
from django.core.exceptions import ValidationError

from ratings.arena import targets
from ratings.arena.targets import UnfitTargetError, check_target, is_public, target_of


@pytest.fixture
def names(monkeypatch):
    """What the resolver says of names."""
    known = {"arena.example": ["93.184.216.34", "2606:2800:220:1::1"]}

    def resolve(host, port):
        if host not in known:
            raise OSError(host)
        return known[host]

    monkeypatch.setattr(targets, "resolve", resolve)
    return known


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.0.0.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "192.0.0.8",
        "224.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::7f00:1",
        "::ffff:10.0.0.1",
        "64:ff9b::a00:1",
        "64:ff9b:1::a00:1",
        "2002:a00:1::",
        "2001::1",
        "2001:db8::1",
        "3fff::1",
        "fc00::1",
        "fe80::1",
        "ff0e::1",
    ],
)
def test_what_leads_into_a_network_of_somebodys_own_is_not_public(address):
    assert not is_public(ip_address(address))


@pytest.mark.parametrize(
    "address", ["93.184.216.34", "2606:2800:220:1::1", "::ffff:93.184.216.34", "64:ff9b::5db8:d822"]
)
def test_addresses_of_the_internet_are_public(address):
    assert is_public(ip_address(address))


def test_a_public_host_is_reached_at_the_address_that_was_checked(names):
    target = target_of("https://arena.example:8443/hook?of=ratings#here")
    assert target == (True, "arena.example", "arena.example:8443", 8443, "/hook?of=ratings", "93.184.216.34")
    connection = target.connect(1)
    assert (connection.host, connection.port) == ("93.184.216.34", 8443)
    assert connection.server_hostname == "arena.example"


def test_a_name_with_one_private_address_among_public_ones_is_refused(names):
    names["arena.example"].append("192.168.1.1")
    with pytest.raises(UnfitTargetError, match=r"^The host arena\.example has an address that isn’t public"):
        target_of("https://arena.example/")


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("http://arena.example/", "must begin with https"),
        ("ftp://arena.example/", "must begin with https"),
        ("https://anna:secret@arena.example/", "must not contain a name or a password"),
        ("https://nowhere.example/", "nowhere.example was not found"),
        ("https://", "isn’t an address"),
        ("arena.example", "isn’t an address"),
        ("https://arena.example:99999/", "isn’t an address"),
        ("https://arena.example:x/", "isn’t an address"),
        ("https://[::1/", "isn’t an address"),
        ("https://arena.example/a b", "isn’t an address"),
        ("https://arena.example/\r\nX: y", "isn’t an address"),
        ("https://arena.example\\@10.0.0.1/", "isn’t an address"),
        ("https://ärena.example/", "isn’t an address"),
    ],
)
def test_other_addresses_are_refused_in_words(names, url, told):
    with pytest.raises(ValidationError, match=told):
        check_target(url)


@pytest.mark.parametrize("port", [22, 25, 80, 444, 5432, 8080])
def test_nothing_is_sent_to_another_port_than_443_and_8443_unless_the_operator_allows_it(
    names, settings, port
):
    for allowed in ("", ":443", ":8443"):
        assert target_of(f"https://arena.example{allowed}/").port in (443, 8443)
    url = f"https://arena.example:{port}/"
    with pytest.raises(UnfitTargetError, match=rf"port {port}\. Use one of these: 443, 8443\."):
        target_of(url)
    settings.WEBHOOKS_PORTS = [443, port]
    assert target_of(url).port == port


@pytest.mark.parametrize("url", ["https://127.0.0.1/", "https://[::1]:443/", "https://2130706433/"])
def test_numbers_are_addresses_too(url):
    with pytest.raises(UnfitTargetError, match="isn’t public"):
        target_of(url)


def test_the_setting_for_trying_out_allows_private_addresses_and_http_to_this_machine(names, settings):
    settings.WEBHOOKS_PRIVATE = True
    names |= {"inside.example": ["10.0.0.1"], "localhost": ["127.0.0.1"]}
    assert target_of("https://inside.example/").address == "10.0.0.1"
    assert target_of("http://localhost:8000").port == 8000
    with pytest.raises(UnfitTargetError, match="https"):
        target_of("http://inside.example/")
