"""With CACHE_URL all sites count together; where its server is gone, each counts by itself and goes on."""

import pytest

from tests.machines.conftest import python, site
from tests.services import redis


@pytest.fixture(scope="module")
def shared():
    with redis() as started:
        yield started


COUNT = "from foa.limits import count; print([count('one', 600) for _ in range(2)])"


def test_processes_count_together_what_is_limited(shared):
    url, _ = shared
    assert [python(COUNT, CACHE_URL=url) for _ in range(2)] == [[1, 2], [3, 4]]
    assert [python(COUNT) for _ in range(2)] == [[1, 2], [1, 2]]


def test_two_sites_have_one_limit_of_the_api_and_answer_without_the_cache(shared, url):
    address, process = shared
    settings = {"DATABASE_URL": url, "CACHE_URL": address, "API_REQUESTS_OF_VISITOR": "50"}
    with site(**settings) as first, site(**settings) as second:
        answers = [one.ask("/api/v1/members").status for _ in range(60) for one in (first, second)]
        # Two minutes of the clock at most.
        assert 50 <= answers.count(200) <= 100
        assert answers[:50] == [200] * 50
        assert answers.count(429) == 120 - answers.count(200)
        process.kill()
        process.wait()
        # Each has a count of its own, which begins.
        assert [first.ask("/api/v1/members").status for _ in range(2)] == [200, 200]
        assert second.ask("/").status == 200
        assert python(COUNT, CACHE_URL=address) == [1, 2]
