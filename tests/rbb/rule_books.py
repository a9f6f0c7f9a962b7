"""What tests of the pages of rule books share."""

import re

from tests.pages import words


def of_book(client, slug, name):
    """The words of a rule book's page, whose links all lead somewhere and whose JSON has its articles."""
    address = f"/how-ratings-work/{slug}/"
    response = client.get(address)
    page = response.content.decode()
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"', page)) <= set(ids)
    told = client.get(address, {"format": "json"}).json()
    assert told["book"] == name
    assert told["books"][0] == {"book": "RBB", "url": "/how-ratings-work/"}
    assert {"book": name, "url": address} in told["books"]
    assert told["articles"]
    assert all(one["url"].removeprefix(f"{address}#") in ids for one in told["articles"])
    return words(response)
