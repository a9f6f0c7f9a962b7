"""Every public page can be read from a replica, whose connection then takes the place of the usual one."""

from contextlib import nullcontext
from copy import copy
from types import SimpleNamespace

import pytest
from django.db import connections

from foa.web.replica import REPLICA, reading_replica
from tests.test_translation import arena, public_pages

__all__ = ["arena"]


@pytest.fixture
def replica(db):
    """A connection of another name to what the test has stored."""
    connections[REPLICA] = copy(connections["default"])
    connections[REPLICA].alias = REPLICA
    yield connections[REPLICA]
    del connections[REPLICA]


@pytest.mark.long
@pytest.mark.rendered
def test_no_page_tells_the_replica_from_the_database_that_it_stands_for(client, arena, replica, caplog):
    caplog.set_level("CRITICAL")
    watch = SimpleNamespace(waiting=lambda connection: nullcontext())
    pages = public_pages(arena)
    expected = {address: client.get(address).status_code for address in pages}
    with reading_replica(watch):
        assert connections["default"] is replica
        assert {address: client.get(address).status_code for address in pages} == expected
