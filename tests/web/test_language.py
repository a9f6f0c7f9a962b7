"""A request is answered in its own language, and leaves it to nobody who comes after in its thread."""

import pytest
from django.test import Client
from django.utils.translation import get_language

pytestmark = [pytest.mark.django_db, pytest.mark.rendered]


def test_a_request_leaves_its_language_to_nobody(client):
    assert '<html lang="pl">' in client.get("/", headers={"accept-language": "pl"}).content.decode()
    assert get_language() == "en"


def test_a_file_that_is_sent_while_it_is_made_leaves_none_either(client):
    response = client.get("/lists/", {"format": "csv"}, headers={"accept-language": "pl"})
    assert response.streaming
    assert get_language() == "en"
    assert response.getvalue()
    assert get_language() == "en"


@pytest.mark.parametrize(("before", "own"), [("pl", "en"), ("en", "pl")])
def test_a_wrong_host_is_refused_in_the_language_of_its_request_not_of_the_one_before(settings, before, own):
    """Over TLS the first of Django's middleware looks at the host, before one for languages is reached."""
    settings.SECURE_SSL_REDIRECT = True
    visitor = Client()
    visitor.get("/", headers={"accept-language": before}, secure=True)
    page = visitor.get("/", headers={"accept-language": own, "host": "elsewhere.example"})
    assert page.status_code == 400
    assert f'<html lang="{own}">' in page.content.decode()
