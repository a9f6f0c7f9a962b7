"""The further pages of a member: games by month, records, titles, over the board, all of them as JSON."""

from datetime import date, timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from ratings.rbb import profile
from ratings.rbb.ledger.corrections import void_games
from ratings.rbb.ledger.history import history
from ratings.rbb.lists.publishing import publish
from ratings.rbb.models.fields import EventType, change_id
from ratings.rules.time_controls import Category
from tests.arena import CONTROL, START, at, game, member, opening, rated
from tests.pages import is_friendly, queries, words

pytestmark = [pytest.mark.django_db, pytest.mark.rendered]

BLITZ = Category.BLITZ
TABS = ("", "games/", "statistics/", "titles/", "over-the-board/")
MONTH = 60 * 24 * 31


def steps_of(who):
    return history(who.rating_changes.all())


def test_every_tab_says_which_one_it_is_and_leads_to_the_others(client):
    who = rated(1800)
    for tab in TABS:
        content = client.get(f"{who.get_absolute_url()}{tab}").content.decode()
        assert f'<a href="/members/{who.pk}/{tab}" aria-current="page">' in content
        for other in TABS:
            assert f'<a href="/members/{who.pk}/{other}"' in content


@pytest.mark.parametrize("tab", TABS)
def test_every_tab_is_json_too(client, tab):
    who, other = rated(1800), rated(1700)
    game(who, other, minute=10)
    address = f"{who.get_absolute_url()}{tab}"
    found = client.get(f"{address}?format=json").json()
    assert found == client.get(address, headers={"accept": "application/json"}).json() | {
        "as_of": found["as_of"]
    }
    assert found["member"]["username"] == who.username
    assert client.get(f"{address}?format=xml").status_code == 400
    assert client.get(f"/members/0/{tab}?format=json").json()["error"]["status"] == 404


def test_json_has_the_figures_of_the_pages(client):
    who, other = rated(1800), rated(1700)
    publish(category=BLITZ, month=START, at=START)
    played = game(who, other, minute=10)  # D 100, PD 0.64: +7.20

    def found(tab):
        return client.get(f"{who.get_absolute_url()}{tab}?format=json").json()

    blitz = found("")["ratings"]["blitz"]
    assert (blitz["rating"], blitz["displayed"], blitz["games"], blitz["games_played"]) == (
        "1807.20",
        1807,
        1,
        1,
    )
    assert (blitz["published"]["rank"], blitz["published"]["members"]) == (1, 2)
    assert blitz["published"]["change_since"] == "7.20"
    assert blitz["live_rank"] == 1
    (line,) = found("games/")["games"]
    assert line["url"] == f"/changes/{change_id(EventType.GAME, played.pk)}/"
    assert (line["colour"], line["score"], line["change"]) == ("white", "1", "7.20")
    assert found("games/")["months"][0]["changes"] == {"blitz": "7.20"}
    statistics = found("statistics/")["statistics"]["blitz"]
    assert statistics["time_controls"][str(played.time_control.control.notation)]["won"] == 1
    assert statistics["by_opponents_rating"][0]["expected"] == "0.64"
    assert statistics["percentile"] == 50
    assert found("titles/")["titles"]["blitz"]["AIM"]["games_in_a_row"] == 1
    assert found("over-the-board/")["over_the_board"] == {}


def test_games_come_by_month_with_what_the_month_brought(client):
    who, other = rated(1800), rated(1700)
    game(who, other, minute=10)  # +7.20
    game(who, other, "1/2-1/2", minute=MONTH)
    game(other, who, "1/2-1/2", minute=MONTH + 10)
    text = words(client.get(f"{who.get_absolute_url()}games/"))
    # 1807.20 and 1692.80, D 114, PD 0.66: −3.20; 1804.00 and 1696.00, D 108, PD 0.65: −3.00.
    assert (
        f"April 2026 Games 2 0 won, 2 drawn, 0 lost Blitz −6.20 Most frequent opponent {other} 2 games"
        in text
    )
    assert f"March 2026 Games 1 1 won, 0 drawn, 0 lost Blitz +7.20 Best win {other} 1700" in text
    assert text.index("April 2026") < text.index("March 2026")


def test_a_month_compares_with_the_last_rating_before_it():
    who, other = rated(1800), rated(1700)
    game(who, other, minute=10)
    game(who, other, "1/2-1/2", minute=3 * MONTH)
    months = profile.months(steps_of(who))
    assert [month.first_day for month in months] == [date(2026, 6, 1), date(2026, 3, 1)]
    assert months[0].gains == [(BLITZ, Decimal("-3.20"))]
    # The opening is of March as well: it is not a gain.
    assert months[1].gains == [(BLITZ, Decimal("7.20"))]


def test_games_are_chosen_by_day_and_category(client):
    who, other = rated(1800), rated(1700)
    opening(who, 1500, Category.RAPID)
    game(who, other, minute=10)
    game(who, other, minute=MONTH)
    game(who, other, minute=MONTH + 20, notation=CONTROL[Category.RAPID])
    address = f"{who.get_absolute_url()}games/"

    def number(query):
        return len(client.get(f"{address}?{query}&format=json").json()["games"])

    assert number("") == 3
    assert number("since=2026-03-02") == 2
    assert number("until=2026-03-01") == 1
    assert number("since=2026-03-01&until=2026-03-01") == 1
    assert number("category=rapid") == 1
    nothing = client.get(f"{address}?since=2027-01-01")
    assert "No rated games match." in words(nothing)
    for query in ("since=x", "until=2026-02-30", "category=chess"):
        response = client.get(f"{address}?{query}")
        assert response.status_code == 400
        assert is_friendly(response)
        assert 'role="alert"' in response.content.decode()


def test_fifty_games_are_a_page(client):
    who, other = rated(1800), rated(1700)
    for minute in range(10, 61):
        game(who, other, "1/2-1/2", minute=minute)
    address = f"{who.get_absolute_url()}games/"
    first = client.get(address).content.decode()
    assert first.count("<time") == 50
    following = first.split('rel="next" href="')[1].split('"')[0]
    assert client.get(address + following).content.decode().count("<time") == 1
    # The month is reviewed as a whole on both.
    assert "Games 51" in words(client.get(address + following))


def test_records_are_runs_the_largest_gain_and_the_busiest_day():
    who, other = rated(1800), rated(1700)
    for number, result in enumerate(["1-0", "1-0", "1/2-1/2", "0-1", "1-0", "1-0", "1-0"]):
        game(who, other, result, minute=60 * 24 * (number // 2) + 10 + number)
    found = profile.records(profile.by_category(steps_of(who))[BLITZ])
    assert (found.winning.games, found.unbeaten.games, found.going_on.games) == (3, 3, 3)
    assert found.winning.last.occurred_at.date() == START.date() + timedelta(days=3)
    assert found.busiest == (START.date(), 2)
    # After the loss D is smallest, so the next win gave most.
    assert found.gain.occurred_at.date() == START.date() + timedelta(days=2)
    game(who, other, "0-1", minute=60 * 24 * 9)
    assert profile.records(profile.by_category(steps_of(who))[BLITZ]).going_on is None


def test_games_played_and_games_that_count_are_told_apart_where_they_differ(client):
    who, other = rated(1800), rated(1700)
    game(who, other, minute=10)
    game(who, member(), minute=20)  # RBB 3.8
    text = words(client.get(who.get_absolute_url()))
    assert "2 won, 0 drawn, 0 lost Peak" in text
    assert "Games 2 played, 1 counts towards the rating Unrounded" in text
    text = words(client.get(f"{who.get_absolute_url()}statistics/"))
    assert "2 rated games played in the arena. 1 of them did not count towards the rating" in text
    assert "The published lists show 1 game" in text
    page = words(client.get(other.get_absolute_url()))
    assert "0 won, 0 drawn, 1 lost Peak" in page
    assert "Games 1 played Unrounded" in page
    assert "for the rating" not in page


def test_games_brought_from_elsewhere_count_and_were_not_played_here(client):
    who = member()
    opening(who, 1800, games=40)
    game(who, rated(1700), minute=10)
    assert "Games 1 played, 41 count towards the rating" in words(client.get(who.get_absolute_url()))


def test_a_published_rating_has_its_place_among_all(client):
    members = [rated(points) for points in (1900, 1800, 1700, 1600)]
    game(members[1], members[2], minute=10)
    publish(category=BLITZ, month=START.replace(month=4), at=START.replace(month=4))
    text = words(client.get(f"{members[1].get_absolute_url()}statistics/"))
    assert "1807 is higher than 50% of the ratings on the April 2026 list." in text


def test_permanent_links_survive_a_void(client):
    who, other = rated(1800), rated(1700)
    played = game(who, other, minute=10)
    line = f"/changes/{change_id(EventType.GAME, played.pk)}/"
    assert line in client.get(who.get_absolute_url()).content.decode()
    void_games(games=[played], by=None, reason="Fair play", at=timezone.now())
    assert line not in client.get(who.get_absolute_url()).content.decode()
    assert client.get(line).status_code == 410
    assert client.get(f"/games/{played.pk}/").status_code == 200


def test_tabs_take_the_same_queries_for_any_number_of_games(client):
    who, other = rated(1800), rated(1700)
    for minute in range(10, 15):
        game(who, other, minute=minute)
    few = [queries(client, f"{who.get_absolute_url()}{tab}") for tab in TABS]
    for minute in range(15, 40):
        game(who, other, minute=minute)
    assert [queries(client, f"{who.get_absolute_url()}{tab}") for tab in TABS] == few
    assert max(few) <= 12


def test_a_profile_says_how_games_ended_and_which_streak_lasts(client):
    who, other = rated("1800.00"), rated("1800.00")
    for minute, result in enumerate(("0-1", "1/2-1/2", "1-0", "1-0"), 10):
        game(who, other, result, minute=minute)
    page = words(client.get(who.get_absolute_url()))
    assert "2 won, 1 drawn, 1 lost" in page
    assert "in a row" not in page
    game(other, who, "0-1", minute=20)
    page = words(client.get(who.get_absolute_url()))
    assert "3 won, 1 drawn, 1 lost · 3 wins in a row" in page
    assert "1 won, 1 drawn, 3 lost · 3 losses in a row" in words(client.get(other.get_absolute_url()))


def test_a_profile_leads_to_the_game_that_is_played(client):
    who, other = rated("1800.00"), rated("1800.00")
    forgotten = game(who, other, "", started_at=at(0), ended_at=None)
    assert "playing now" not in words(client.get(who.get_absolute_url()))
    playing = game(other, who, "", started_at=timezone.now(), ended_at=None)
    page = client.get(who.get_absolute_url())
    assert f"{other} – {who}" in words(page)[words(page).index("playing now") :][:60]
    assert f'href="{playing.get_absolute_url()}"' in page.text
    assert f'href="{forgotten.get_absolute_url()}"' not in page.text
