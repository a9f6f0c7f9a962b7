"""Names that an earlier version wrote get their sounds by the hourly work."""

import pytest
from django.utils import timezone

from members.models import Member, NameWord
from ratings.rbb.searching import who_is_meant
from ratings.rbb.upkeep import fill_sounds
from tests.arena import member

pytestmark = pytest.mark.django_db


def test_names_from_before_get_sounds_and_cyrillic_ones_latin_letters():
    anna, ivan = member("anna", name="Hájková, Anna"), member("ivan", name="Иванов, Иван")
    expected = sorted(NameWord.objects.values_list("member", "word", "sound"))
    NameWord.objects.all().delete()
    NameWord.objects.bulk_create(
        NameWord(member=who, word=word)
        for who, words in ((anna, "ANNA HAJKOVA"), (ivan, "IVAN ИВАНОВ ИВАН"))
        for word in words.split()
    )
    assert who_is_meant("gajek", 8) == ([], False)
    fill_sounds(timezone.now())
    assert sorted(NameWord.objects.values_list("member", "word", "sound")) == expected
    assert who_is_meant("gajek", 8)[0] == [anna]
    assert who_is_meant("ivanova", 8)[0] == [Member.objects.get(username="ivan")]
