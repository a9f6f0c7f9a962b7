"""With CACHE_URL all sites count together; where its server is gone, they go on."""

import pytest

from foa.rate_limits import count
from tests.arena import member
from tests.machines.conftest import python, site
from tests.services import redis

COUNT = "from foa.rate_limits import count; print([count('one', 600) for _ in range(2)])"


@pytest.fixture
def shared():
    """The URL of a Redis, and its process."""
    with redis() as started:
        yield started


@pytest.fixture
def sites(shared, url):
    """Two of them."""
    settings = {"DATABASE_URL": url, "CACHE_URL": shared[0]}
    with site(**settings) as first, site(**settings) as second:
        yield first, second


def test_processes_count_together_what_is_limited(shared):
    address, _ = shared
    assert [python(COUNT, CACHE_URL=address) for _ in range(2)] == [[1, 2], [3, 4]]
    # The other one is this.
    assert [python(COUNT), [count("one", 600) for _ in range(2)]] == [[1, 2], [1, 2]]


def test_all_sites_show_what_was_committed_and_go_on_without_the_cache(shared, sites, within):
    """A visitor's page is kept for two seconds; each address here is asked for the first time."""
    with within():
        member("anna", full_from=None)
    first, second = (one.ask("/members/", Host="127.0.0.1") for one in sites)
    assert "anna" in first.content
    assert first.content == second.content
    assert first.getheader("ETag") == second.getheader("ETag")

    address, process = shared
    first, second = sites
    assert first.ask("/api/v1/members").status == 200
    process.kill()
    process.wait()
    assert [one.ask("/api/v1/members").status for one in sites] == [200, 200]
    assert second.ask("/").status == 200
    assert python(COUNT, CACHE_URL=address) == [1, 2]
