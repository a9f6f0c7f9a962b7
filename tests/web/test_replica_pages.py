"""Every public page can be read from a replica; what writes goes to the primary."""

from copy import copy

import pytest
from django.db import connections
from django.test import Client

from foa.web.replica import JUST_WRITTEN, REPLICA
from tests.test_translation import arena, public_pages

__all__ = ["arena"]


@pytest.fixture
def read(db, settings):
    """The statements that the replica is asked, a connection of another name to what the test has stored."""
    settings.DATABASES[REPLICA] = settings.DATABASES["default"]
    settings.DATABASE_ROUTERS = ["foa.web.replica.ReplicaRouter"]
    connections[REPLICA] = copy(connections["default"])
    connections[REPLICA].alias = REPLICA
    connections[REPLICA].execute_wrappers = []
    asked = []

    def noted(execute, sql, *rest):
        asked.append(sql)
        return execute(sql, *rest)

    with connections[REPLICA].execute_wrapper(noted):
        yield asked
    del connections[REPLICA], settings.DATABASES[REPLICA]


@pytest.mark.long
@pytest.mark.rendered
def test_no_page_tells_the_replica_from_the_database_that_it_stands_for(client, arena, read, caplog):
    caplog.set_level("CRITICAL")
    primary = Client(headers={"cookie": f"{JUST_WRITTEN}=1"})
    for address in public_pages(arena):
        expected = primary.get(address).status_code
        assert read == []
        assert client.get(address).status_code == expected, address
        read.clear()


@pytest.mark.rendered
def test_the_replica_is_asked_by_visitors_alone_and_never_to_write(client, arena, read):
    client.get("/members/")
    assert read
    assert all(sql.startswith("SELECT") for sql in read)
    read.clear()
    client.get("/ratings/blitz/")
    assert any('FROM "ratings_rating"' in sql for sql in read)
    read.clear()
    client.get(f"/members/{arena.anna.pk}/")
    assert any("FROM ratings_rating AS own" in sql for sql in read)
    read.clear()
    client.get("/admin/", follow=False)
    client.get("/members/", headers={"authorization": "Bearer x"})
    assert read == []
    assert client.post("/login/", {"username": "x", "password": "x"}).cookies[JUST_WRITTEN]["max-age"] == 6
    client.get("/members/")
    assert read == []
