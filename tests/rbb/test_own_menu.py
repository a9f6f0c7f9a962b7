"""The menu below a login's name."""

import re

import pytest

from tests.arena import member


def menu(client):
    """The addresses in the menu."""
    page = client.get("/games/").content.decode()
    own = page.rpartition('<details name="header">')[2].partition("</details>")[0]
    return re.findall(r'<a href="([^"]+)"', own)


@pytest.mark.django_db
@pytest.mark.parametrize("is_member", [True, False])
def test_every_link_of_the_menu_has_a_page_for_who_sees_it(client, django_user_model, is_member):
    user = django_user_model.objects.create_superuser("clerk")
    if is_member:
        member("clerk", user=user)
    client.force_login(user)
    links = menu(client)
    assert ("/news/mine/" in links) is is_member
    assert ("/lists/requested/" in links) is is_member
    assert {client.get(link).status_code for link in links} <= {200, 302}
    assert ("/news/mine/" in client.get("/news/").content.decode()) is is_member
