"""The public pages of the league: seasons, teams, lists and players."""

import random

import pytest

from ratings.league.models import Board, Cycle, CycleList, CycleResult, League, Player, Season, Team
from ratings.league.services.corrections import correct_board
from ratings.league.services.cycles import close_cycle
from ratings.league.services.rounds import store_round
from ratings.league.services.squads import store_squads
from tests.arena import member
from tests.league.office import NOW, bring_round, bring_squads, close_all, large_rounds, large_squads
from tests.otb.test_list_pages import entry, publish
from tests.pages import BAD_QUERIES, is_friendly, queries, words


def player(name):
    return Player.objects.get(name=name)


def why(name, number=1):
    """The address of an explanation."""
    return f"/league/players/{player(name).pk}/cycles/{Cycle.objects.get(number=number).pk}/"


def list_address(season, revision=1):
    return f"/league/seasons/{season.pk}/cycles/1/{revision}/"


def corrected(at=NOW):
    """Abel beat Cruz, it turns out, instead of drawing: revision 2 of the list of cycle 1."""
    board = Board.objects.get(home_player__name="Abel", away_player__name="Cruz")
    correct_board(board, result="1-0", reason="score sheet", by=None, at=at)


# Seasons.


def test_the_seasons_say_how_many_cycles_are_closed_and_lead_to_the_lists(client, season):
    response = client.get("/league/")
    assert is_friendly(response)
    assert "2026 BAL 4 1 of 3 closed cycle 1" in words(response)
    assert f'<a href="{list_address(season)}">cycle 1</a>' in response.text
    corrected()
    assert f'<a href="{list_address(season, 2)}">cycle 1</a>' in client.get("/league/").text
    checksums = list(CycleList.objects.order_by("revision").values_list("checksum", flat=True))
    content = b"".join(client.get("/league/?format=csv")).decode().splitlines()
    assert content == [
        "league,season,cycle,last_round,closed_at,revision,published_at,sha256",
        f"BAL,2026,1,2,2026-11-02T09:00:00Z,2,2026-11-02T09:00:00Z,{checksums[1]}",
        "BAL,2026,2,3,,,,",
        "BAL,2026,3,4,,,,",
    ]


def test_the_seasons_of_a_league_stand_latest_first_and_can_be_searched(client, season):
    later = bring_squads("Adams,North,,,no", season="2027", cycles=[1]).season
    other = bring_squads("Adams,North,1000,1,no", season="2020", cycles=[1], league="Other").season
    assert client.get("/league/").context["table"].page.rows == [later, season, other]
    assert client.get("/league/?season=2026").context["table"].page.rows == [season]
    assert client.get("/league/?season=1999").context["table"].page.rows == []
    assert client.get(f"/league/?after={season.pk}").context["table"].page.rows == [other]


@pytest.mark.parametrize(("query", "status"), BAD_QUERIES)
def test_odd_addresses_of_the_seasons_get_an_answer(client, season, query, status):
    response = client.get(f"/league/?{query.replace('member=', 'season=')}")
    assert response.status_code == status


def test_the_list_of_seasons_takes_as_many_statements_for_fifty_as_for_one(client, season):
    assert queries(client, "/league/") == 3
    seasons = Season.objects.bulk_create(
        Season(league=season.league, name=f"Old {number}", ordinal=100 + number) for number in range(60)
    )
    Cycle.objects.bulk_create(Cycle(season=one, number=1, last_round=5) for one in seasons)
    assert queries(client, "/league/") == 3


def test_the_lists_of_the_office_lead_to_the_league(client, season):
    assert '<a href="/league/">Team league</a>' in client.get("/lists/").text


def test_a_season_has_its_table_with_forfeits_and_shared_places(client, season):
    response = client.get(season.get_absolute_url())
    assert is_friendly(response)
    text = words(response)
    # North 2:0 South, ½:1½ and 1½:½ East; East also 1½:½ West; South 1:1 (one by forfeit) and ½:½ West.
    assert "1 North 4 4 3 2 0 1" in text
    assert "2 East 4 3½ 3 2 0 1" in text
    assert "3 West 2 2 3 0 2 1" in text
    assert "4 South 2 1½ 3 0 2 1" in text
    content = b"".join(client.get(f"{season.get_absolute_url()}table.csv")).decode().splitlines()
    assert content[:3] == [
        "place,team,match_points,board_points,matches,wins,draws,losses,playoffs",
        "1,North,4,4,3,2,0,1,",
        "2,East,4,3.5,3,2,0,1,",
    ]


def test_teams_with_equal_points_share_a_place(client, db):
    season = bring_squads(
        "Adams,North,1600,30,no", "Baker,South,1600,30,no", "Cole,West,1600,30,no", cycles=[1]
    ).season
    bring_round(season, "1,North,South,1,Adams,Baker,1/2-1/2")
    text = words(client.get(season.get_absolute_url()))
    assert "1 North 1 ½ 1 0 1 0" in text
    assert "1 South 1 ½ 1 0 1 0" in text
    assert "3 West 0 0 0 0 0 0" in text


def test_a_season_shows_its_cycles_with_state_rounds_and_every_revision(client, season):
    text = words(client.get(season.get_absolute_url()))
    assert "1 1–2 2 Nov 2026 Ratings after cycle 1 2 3 open – 3 4 open –" in text
    corrected()
    response = client.get(season.get_absolute_url())
    assert "Ratings after cycle 1 Revision 1 (replaced) 2" in words(response)
    assert f'<a href="{list_address(season, 2)}">Ratings after cycle 1</a>' in response.text


def test_a_season_shows_the_last_round_or_the_one_that_is_asked_for(client, season):
    address = season.get_absolute_url()
    text = words(client.get(address))
    assert "Round 3" in text
    assert (
        "East ½ – 1½ North Board East Result North 1 Cruz 2102 0-1 Avery 1444 2 Cole 1517 ½-½ Abel 1898"
        in text
    )
    assert "Boyd" not in text
    text = words(client.get(f"{address}?round=2"))
    assert (
        "South 1 – 1 West Board South Result West 1 Baker 2000 +/− Dunn 1200 2 Boyd 1300 0-1 Diaz 2105"
        in text
    )
    assert client.get(f"{address}?round=2").text.count('class="uncounted"') == 1
    content = b"".join(client.get(f"{address}rounds.csv"))
    assert len(content.splitlines()) == 12
    assert content.decode().splitlines()[7] == "2,South,West,1,Baker,Dunn,'+/-,"


def test_boards_show_the_ratings_with_which_their_cycle_counts_them_and_new_players_at_1300(client, season):
    """Of a closed cycle those at its start, of the open one those that the last list gave."""
    Player.objects.filter(name="Cruz").update(member=member("cruz", title="FM", federation="ESP"))
    text = words(client.get(Team.objects.get(name="East").get_absolute_url()))
    assert "1 Adams 1600 0-1 Cole 1500 2 Abel 1300 ½-½ FM Cruz 2095 Round 3" in text
    assert "1 FM Cruz 2102 0-1 Avery 1444 2 Cole 1517 ½-½ Abel 1898" in text
    corrected()
    # Abel's win against Cruz in cycle 1 is counted.
    text = words(client.get(Team.objects.get(name="East").get_absolute_url()))
    assert "2 Abel 1300 1-0 FM Cruz 2095 Round 3" in text


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("round=4", 404),
        ("round=0", 404),
        ("round=" + "9" * 18, 404),
        ("round=" + "9" * 400, 400),
        ("round=x", 400),
        ("round=", 400),
        ("round=-1", 400),
        ("round=%00", 400),
        ("round=%D9%A3", 400),
        ("round=1.5", 400),
        ("other=1", 200),
    ],
)
def test_an_odd_round_gets_an_answer(client, season, query, status):
    response = client.get(f"{season.get_absolute_url()}?{query}")
    assert response.status_code == status
    assert is_friendly(response)


def test_a_season_that_has_nothing_yet_says_so(client, db):
    league = League.objects.create(name="New")
    season = Season.objects.create(league=league, name="Empty", ordinal=1)
    text = words(client.get(season.get_absolute_url()))
    assert "No teams yet." in text
    assert "No rating cycles yet." in text
    assert "No rounds played yet." in text
    team = Team.objects.create(season=season, name="Lonely")
    text = words(client.get(team.get_absolute_url()))
    assert "No players yet." in text
    assert "No matches yet." in text


# Teams.


def test_a_team_has_its_squad_as_it_began_and_as_it_stands_and_its_matches(client, season):
    team = Team.objects.get(name="North")
    response = client.get(team.get_absolute_url())
    assert is_friendly(response)
    text = words(response)
    assert "Abel 1898 1897.50 2 new (captain’s estimate 1750) 0" in text
    assert "Adams 1609 1608.61 32 1600.00 30" in text
    assert "Round 1 North 2 – 0 South" in text
    assert "Round 3 East ½ – 1½ North" in text
    south = Team.objects.get(name="South")
    assert "Brook unrated – 0 new 0" in words(client.get(south.get_absolute_url()))
    content = b"".join(client.get(f"{team.get_absolute_url()}squad.csv")).decode().splitlines()
    assert content == [
        "name,team,rating,games,captains_estimate",
        "Abel,North,1750.00,0,yes",
        "Adams,North,1600.00,30,no",
        "Avery,North,1444.44,12,no",
    ]


def test_a_rating_that_is_carried_over_is_said_to_be(client, season):
    close_cycle(season, at=NOW)
    later = bring_squads("Adams,North,,,no", season="2027", cycles=[1]).season
    assert "Adams – – – carried over –" in words(
        client.get(Team.objects.get(season=later).get_absolute_url())
    )


# Players.


def test_a_player_has_his_ratings_from_cycle_to_cycle_and_his_games(client, season):
    anna = member("anna", name="Cruz, Anna")
    Player.objects.filter(name="Cruz").update(member=anna)
    close_cycle(season, at=NOW)
    response = client.get(player("Cruz").get_absolute_url())
    assert is_friendly(response)
    text = words(response)
    assert f'<a href="{anna.get_absolute_url()}">Arena profile</a>' in response.text
    assert "2026, 1 2102 Why? East 2095.00 2 1½ 32 +8.23 +7.42 2102.42" in text
    assert f'href="{why("Cruz", 2)}"' in response.text
    assert "2026 3 Avery 0 East North 1" in text
    assert "2026 2 Abel ½ East North 2" in text
    assert "2026 1 Diaz 1 East West 1" in text
    assert "Baker" not in text
    content = b"".join(client.get(f"{player('Cruz').get_absolute_url()}cycles.csv")).decode().splitlines()
    assert content[0] == (
        "season,cycle,revision,team,old,games_before,games,score,opponents,k,expected,gain,adjusted,new,"
        "games_after"
    )
    # Ro: Diaz 2105 and Abel 1897.50; We: 0.4856 + 0.7571.
    assert content[1] == "2026,1,1,East,2095.00,40,2,1.50,4002.50,32,1.24,8.23,7.42,2102.42,42"
    assert len(content) == 3


def test_a_forfeit_stands_among_the_games_as_one_that_counts_for_nothing(client, season):
    text = words(client.get(player("Baker").get_absolute_url()))
    assert "2026 2 Dunn + South West 1" in text
    assert "2026 2 Baker − West South 1" in words(client.get(player("Dunn").get_absolute_url()))


def test_the_chart_begins_with_what_a_player_brought_and_a_new_one_with_his_first_rating(client, season):
    chart = client.get(player("Adams").get_absolute_url()).context["chart"]
    assert [(point.label, point.rating, point.season) for point in chart.points] == [
        ("start", 1600, "2026"),
        ("1", 1609, ""),
    ]
    assert [rating for _y, rating in chart.grid] == [1600, 1700]
    assert chart.points[0].y == chart.bottom
    assert client.get(player("Abel").get_absolute_url()).context["chart"] is None
    close_cycle(season, at=NOW)
    chart = client.get(player("Abel").get_absolute_url()).context["chart"]
    assert [(point.label, point.rating) for point in chart.points] == [("1", 1898), ("2", 1771)]
    assert chart.points[0].y < chart.points[1].y
    assert client.get(player("Brook").get_absolute_url()).context["chart"] is None


@pytest.mark.parametrize(
    ("new", "grid"),
    [
        ("1600.00", [1600, 1700]), ("1599.99", [1500, 1600]), ("1700.00", [1600, 1700]),
        ("2100.01", [1600, 1700, 1800, 1900, 2000, 2100, 2200]),
        ("2500.00", [1600, 1800, 2000, 2200, 2400, 2600]),
        ("100.00", [0, 400, 800, 1200, 1600]),
    ],
)  # fmt: skip
def test_the_lines_of_the_chart_enclose_every_rating_and_are_few(client, season, new, grid):
    CycleResult.objects.filter(player__name="Adams").update(new=new)
    chart = client.get(player("Adams").get_absolute_url()).context["chart"]
    assert [rating for _y, rating in chart.grid] == grid
    assert (chart.grid[0][0], chart.grid[-1][0]) == (chart.bottom, 30)
    assert all(30 <= point.y <= chart.bottom for point in chart.points)


def test_a_player_who_is_new_and_has_not_played_is_unrated(client, season):
    text = words(client.get(player("Brook").get_absolute_url()))
    assert "No league rating yet." in text
    assert "No games yet." in text


def test_only_the_last_revision_of_a_list_stands_on_the_page_of_a_player(client, season):
    corrected()
    response = client.get(player("Abel").get_absolute_url())
    assert [one.cycle_list.revision for one in response.context["results"]] == [2]
    assert "Rating 2098 Games 2" in words(response)


# All of them.


@pytest.mark.parametrize(
    "address",
    [
        "seasons/999999/",
        f"seasons/{'9' * 30}/",
        "seasons/-1/",
        "seasons/x/",
        "seasons/999999/table.csv",
        f"seasons/{'9' * 30}/rounds.csv",
        "seasons/{season}/cycles/2/1/",
        "seasons/{season}/cycles/1/2/",
        f"seasons/{{season}}/cycles/{'9' * 30}/1/",
        f"seasons/{{season}}/cycles/1/{'9' * 30}/",
        "seasons/{season}/cycles/2/1/list.csv",
        "teams/999999/",
        f"teams/{'9' * 30}/squad.csv",
        "players/999999/",
        f"players/{'9' * 30}/",
        "players/999999/cycles.csv",
        "players/{player}/cycles/0/",
        f"players/{{player}}/cycles/{'9' * 30}/",
        f"seasons/{'9' * 19}/cycles/1/1/",
        f"seasons/{'9' * 30}/cycles/1/1/list.csv",
        "players/{player}/cycles/{other}/",
        "nowhere/",
    ],
)
def test_what_there_is_not_is_answered_with_404(client, season, address):
    other = bring_squads("Else,Elsewhere,1000,5,no", season="2020", cycles=[1], league="Other").season
    keys = {"season": season.pk, "player": player("Abel").pk, "other": Cycle.objects.get(season=other).pk}
    response = client.get(f"/league/{address.format(**keys)}")
    assert response.status_code == 404
    assert is_friendly(response)


def test_a_player_who_is_in_no_squad_of_a_season_has_no_page_of_its_cycles(client, season):
    later = bring_squads("Adams,North,,,no", season="2027", cycles=[1]).season
    cycle = Cycle.objects.get(season=later)
    assert client.get(f"/league/players/{player('Abel').pk}/cycles/{cycle.pk}/").status_code == 404
    assert client.get(f"/league/players/{player('Adams').pk}/cycles/{cycle.pk}/").status_code == 200


def test_staff_are_led_from_every_page_to_what_it_shows_in_the_admin(admin_client, season):
    team, cruz, published = Team.objects.get(name="East"), player("Cruz"), CycleList.objects.get()
    entry = cruz.squads.get()
    for address, admin in (
        ("/league/", "season/"),
        (season.get_absolute_url(), f"season/{season.pk}/change/"),
        (team.get_absolute_url(), f"team/{team.pk}/change/"),
        (list_address(season), f"cyclelist/{published.pk}/change/"),
        (cruz.get_absolute_url(), f"player/{cruz.pk}/change/"),
        (why("Cruz"), f"squadplayer/{entry.pk}/change/"),
    ):
        assert f'<a href="/admin/league/{admin}">Admin</a>' in admin_client.get(address).text, address
        assert admin_client.get(f"/admin/league/{admin}").status_code == 200


@pytest.mark.rendered
def test_no_page_takes_more_statements_in_a_large_season(client, season):
    dice = random.Random(7)
    squads = large_squads(24, dice)
    large = store_squads("Large", squads, cycles=[3, 6], league="Large").season
    store_round(large, large_rounds(squads, 6, dice))
    close_all(large)
    corrected()
    somebody = CycleResult.objects.filter(cycle_list__cycle__season=large, counted__gt=1).first()
    cycle = Cycle.objects.filter(season=large).first()
    small, east = player("Cruz"), Team.objects.get(name="East")
    first = Cycle.objects.get(season=season, number=1)
    for address, statements in (
        ("/league/seasons/{season}/", 12),
        ("/league/teams/{team}/", 8),
        ("/league/seasons/{season}/cycles/1/1/?name=", 4),
        ("/league/players/{player}/", 5),
        ("/league/players/{player}/cycles/{cycle}/", 10),
    ):
        for keys in (
            {"season": season.pk, "team": east.pk, "player": small.pk, "cycle": first.pk},
            {
                "season": large.pk,
                "team": somebody.team_id,
                "player": somebody.player_id,
                "cycle": cycle.pk,
            },
        ):
            assert queries(client, address.format(**keys)) == statements, address


def test_profile_league_and_card_of_one_person_lead_to_each_other(client, season):
    who = member("cruz", name="Cruz, Eva", fide_id=1_000_001)
    Player.objects.filter(name="Cruz").update(member=who)
    entry(publish(), 1, "Cruz, Eva", 2100)
    league, card = player("Cruz").get_absolute_url(), "/fide/players/1000001/"
    for page, others in ((league, (who.get_absolute_url(), card)), (card, (who.get_absolute_url(), league))):
        response = client.get(page)
        assert is_friendly(response)
        for other in others:
            assert f'<a href="{other}">' in response.text
        assert f'<a href="{page}">' not in response.text


def test_a_player_who_is_no_member_has_no_other_page(client, season):
    assert "Other pages about this person" not in client.get(player("Adams").get_absolute_url()).text
