"""Pages of lists and tournaments of 2024: their articles, their parts, and the regulations they name."""

from datetime import UTC, date, datetime

import pytest
from django.contrib.auth.models import User

from ratings.office.due import due_for
from ratings.otb.citations import cited, edition_of_list
from ratings.otb.models import OtbList, RaisedList, Tournament
from ratings.otb.services.judging import refuse
from ratings.otb.services.publishing import rerate_from
from ratings.rules.b02.editions import B02_2009, edition_in_force
from ratings.rules.b02.time_controls import Chapter
from ratings.rules.b02.types import Topic
from tests.otb.test_regulations_2024 import (
    NEW,
    NOVEMBER,
    OCTOBER,
    RAPID,
    close,
    entrant,
    of_2024,
    players,
    sent,
)
from tests.pages import is_friendly, words

__all__ = ["of_2024"]

pytestmark = [pytest.mark.django_db, pytest.mark.rendered]

EQUAL = {"standard": 1900}, {"standard": 1900}
AT = datetime(2026, 10, 2, 10, tzinfo=UTC)


def october(chapter=Chapter.STANDARD):
    """The list of October after a drawn game."""
    control = RAPID if chapter is Chapter.RAPID else "5400+30"
    sent(players(*EQUAL), [{(1, 2): "="}], control)
    return close(chapter).otb_list


def test_a_list_says_by_which_regulations_it_was_rated(client):
    response = client.get(october().get_absolute_url())
    assert is_friendly(response)
    assert "1 tournament was rated for it. Rated under FIDE’s Rating Regulations of 1 March 2024" in words(
        response
    )
    assert (
        '<a href="/how-ratings-work/b02-2024/">FIDE’s Rating Regulations of 1 March 2024</a>' in response.text
    )


def test_a_rapid_list_names_the_regulations_of_rapid_and_blitz(client):
    text = words(client.get(october(Chapter.RAPID).get_absolute_url()))
    assert "Rated under FIDE’s Rapid and Blitz Rating Regulations of 1 March 2024" in text
    assert "The flag i marks inactive players (B.02 RB (2024) 7.1.2, 7.2.2)." in text


def test_a_list_of_2009_keeps_its_edition_whatever_the_settings_say(client):
    otb_list = OtbList.objects.create(
        list_day=date(2026, 9, 1), edition=2009, published_at=AT, checksum="0" * 64
    )
    page = client.get(otb_list.get_absolute_url())
    assert "Rated under FIDE’s regulations B.02 of 1 July 2009" in words(page)
    assert "By name Top list Active, by federation Delisted Titled, unrated Download" in words(page)
    assert "The flag i marks inactive players (B.02 7.12, 7.23)." in words(page)
    assert edition_of_list(otb_list) == B02_2009


@pytest.mark.parametrize(
    ("part", "intro"),
    [
        ("", "All rated players by name. The flag i marks inactive players (B.02 (2024) 7.1.2, 7.2.2)."),
        ("active/", "Active players by name, as on the lists for federations (B.02 (2024) 7.2.2)."),
        ("top/", "The top 100 active players; players with equal ratings share a rank."),
    ],
)
def test_7_1_2_parts_of_a_list_cite_its_own_edition(client, part, intro):
    assert intro in words(client.get(october().get_absolute_url() + part))


def test_a_list_has_neither_delisted_players_nor_titled_ones_without_a_rating(client):
    address = october().get_absolute_url()
    assert "By name Top list Active, by federation Download" in words(client.get(address))
    for part in ("delisted/", "titled/"):
        assert client.get(address + part).status_code == 404


def test_8_3_3_the_report_of_a_list_has_its_drift_and_no_limit_of_games(client):
    text = words(client.get(f"{october().get_absolute_url()}report/"))
    assert "How the scale has moved since the list of 1 Sep 2026 ." in text
    assert "Last ratings of delisted players" in text
    assert "Many games" not in text
    assert "B.02" not in text


def test_a_refused_tournament_and_its_appeal_cite_no_article(client):
    tournament = sent(players(*EQUAL), [{(1, 2): "="}])
    refuse(tournament, "Too fast.", date(2026, 10, 3))
    text = words(client.get(tournament.get_absolute_url()))
    assert "appeal until 10 Oct 2026. Too fast." in text
    assert "B.02 0.5" not in text


def test_a_tournament_announced_as_not_rated_says_so_without_an_article(client):
    tournament = sent(players(*EQUAL), [{(1, 2): "="}])
    Tournament.objects.filter(pk=tournament.pk).update(announced_unrated=True)
    text = words(client.get(tournament.get_absolute_url()))
    assert "We take its report, but don’t rate it." in text


def test_7_1_3_a_report_that_misses_a_list_says_for_which_one_it_counts(client):
    october()
    late = sent([entrant(1, 1900), entrant(2, 1900)], [{(1, 2): "="}], name="Late")
    text = words(client.get(late.get_absolute_url()))
    assert (
        "The report arrived after the list of 1 Oct 2026 was closed, so the tournament counts for the list"
        " of 1 Nov 2026 (B.02 (2024) 7.1.3)." in text
    )


def test_7_1_4_a_new_player_reads_what_a_first_rating_takes(client):
    entrants = [*players(*NEW), entrant(6, None)]
    tournament = sent(entrants, [{(6, 1): "1"}, {(6, 2): "="}])
    text = words(client.get(f"{tournament.get_absolute_url()}players/6/"))
    assert "A first rating needs 5 games within 26 months and must be at least 1400 (B.02 (2024) 7.1.4)." in (
        text
    )
    close()
    text = words(client.get("/fide/players/1000006/"))
    # Ra = (1900 + 1850 + 3600) / 4 = 1837.5; p = 2.5 / 4 = 0.625, rounded 0.63, dp 95: 1932.5.
    assert "2 games, score 1½, opponents’ average 1838, worth 1933 (B.02 (2024) 7.1.4, 8.2)." in text
    assert "Not yet published: too few games (B.02 (2024) 7.1.4). 3 more games are needed (5 in all)." in text


def test_7_1_4_without_a_result_the_card_names_the_26_months(client):
    entrants = [*players(*NEW), entrant(6, None)]
    sent(entrants, [{(6, 1): "0"}])
    close()
    text = words(client.get("/fide/players/1000006/"))
    assert "No result from the last 26 months counts (B.02 (2024) 7.1.4). 5 more games are needed" in text
    assert "left out: no points in the very first tournament" in text


def test_8_2_1_the_findings_say_that_a_first_event_without_a_point_is_forgotten(client):
    tournament = sent([*players(*NEW), entrant(6, None)], [{(6, 1): "0"}])
    assert (
        "PlayerF, Anna, who has no rating, scored no points in their very first tournament, so it "
        "doesn’t count (B.02 (2024) 8.2.1)." in words(client.get(tournament.get_absolute_url()))
    )


def test_7_1_3_the_work_that_is_due_cites_the_edition_of_its_list():
    officer = User.objects.create_user("officer", is_staff=True, is_superuser=True)
    sent(players(*EQUAL), [{(1, 2): "="}])
    sent([entrant(1, 1900), entrant(2, 1900)], [{(1, 2): "="}], RAPID, "Fast")
    found = [one.text for one in due_for(officer, AT)]
    assert "Over-the-board list of 1 Oct 2026: the period has ended (B.02 (2024) 7.1.3)" in found
    assert "Over-the-board rapid list of 1 Oct 2026: the period has ended (B.02 RB (2024) 7.1.3)" in found


def test_an_article_is_that_of_the_edition_and_empty_without_one():
    of_rapid = edition_in_force(NOVEMBER, chapter=Chapter.RAPID)
    assert cited(B02_2009, Topic.CLOSING_DAY) == " (B.02 7.13)"
    assert cited(edition_in_force(OCTOBER), Topic.CLOSING_DAY) == " (B.02 (2024) 7.1.3)"
    assert cited(of_rapid, Topic.CLOSING_DAY) == " (B.02 RB (2024) 7.1.3)"
    assert cited(of_rapid, Topic.APPEAL) == ""


def test_the_last_revision_of_a_raised_list_says_so(client):
    otb_list = october()
    raised = "Ratings below 2000 were raised once, as FIDE did in March 2024."
    RaisedList.objects.create(chapter=otb_list.chapter, list_day=otb_list.list_day)
    (revision,) = rerate_from(otb_list.list_day, at=AT)
    assert raised in words(client.get(revision.get_absolute_url()))
    assert raised not in words(client.get(otb_list.get_absolute_url()))
