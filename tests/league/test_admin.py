"""The league behind the counter: rounds are entered, cycles closed after a preview, corrections re-rate."""

import re

import pytest
from django.contrib.admin.models import LogEntry

from ratings.league.models import (
    Board,
    Cycle,
    CycleList,
    CycleResult,
    League,
    Match,
    Player,
    Season,
    SquadPlayer,
    Team,
)
from ratings.league.services.cycles import close_cycle, next_cycle
from ratings.office.models import ChangeSet
from tests.backoffice import admin_page, keeps_the_policy
from tests.decisions import REASONS, confirmed_on, decide, shown_on
from tests.league.office import (
    NOW,
    ROUND_1,
    ROUND_2,
    board,
    bring_round,
    bring_squads,
    close_all,
    everything,
    small_season,
)
from tests.pages import words

pytestmark = pytest.mark.django_db


def a_season():
    """Two teams of two, two cycles of a round each; the rounds are played, no cycle is closed."""
    season = small_season()
    bring_round(season, *ROUND_1, *ROUND_2)
    return season


@pytest.fixture(scope="class")
def season(standing):
    return standing(a_season)


def a_closed_season():
    """Both cycles of it are closed."""
    season = a_season()
    close_all(season)
    return season


@pytest.fixture(scope="class")
def closed(standing):
    return standing(a_closed_season)


def entry(name):
    return SquadPlayer.objects.get(player__name=name)


def player(name):
    return Player.objects.get(name=name)


def stored():
    """What a page could have written."""
    return [
        *everything(),
        *(list(model.history.order_by("pk").values_list()) for model in (Board, SquadPlayer)),
        list(LogEntry.objects.order_by("pk").values_list()),
    ]


def rows(response, section):
    """The rows of the table of a section, in words."""
    table = re.search(rf'id="{section}".*?</section>', response.text, re.S).group()
    return [
        " ".join(re.sub(r"<[^>]*>", " ", row).split())
        for row in re.findall(r"<tr>(.*?)</tr>", table, re.S)[1:]
    ]


def ratings(cycle):
    """The new ratings of the latest list of a cycle, by name."""
    results = CycleList.objects.latest_of(cycle).results.order_by("name")
    return {line.name: None if line.new is None else str(line.new) for line in results}


# Closing.


def close_page(cycle):
    return admin_page(cycle, "close")


def test_only_who_may_close_finds_the_page(clerk, season):
    cycle = next_cycle(season)
    page = close_page(cycle)
    officer, auditor, registrar = map(clerk, ("Rating officers", "Auditors", "Registrars"))
    for address in (admin_page(Cycle), admin_page(cycle)):
        assert f'href="{page}"' in officer.get(address).text
        assert page not in auditor.get(address).text
        assert registrar.get(address).status_code == 403
    assert keeps_the_policy(officer.get(page))


def test_the_preview_shows_what_becomes_of_everybody_and_stores_nothing(officer, season):
    """Adams: 1600 + 32 × (1 − 1 ÷ 11). Two new players who draw are both at 1300."""
    before = stored()
    response = officer.get(close_page(next_cycle(season)))
    assert "2026, cycle 1, revision 1 will be published" in words(response)
    assert rows(response, "lines") == [
        "Abel North 1300.00 CE 1 0.00 0.00 1300.00 0 1",
        "Adams North 1600.00 1 +29.09 +29.09 1629.09 30 31",
        "Baker South 2000.00 1 −29.09 −29.09 1970.91 25 26",
        "Boyd South 1300.00 CE 1 0.00 0.00 1300.00 0 1",
    ]
    assert stored() == before


def test_closing_publishes_what_was_shown_and_closing_twice_closes_once(officer, season):
    cycle = next_cycle(season)
    page = close_page(cycle)
    shown = {"shown": shown_on(officer.get(page))}
    response = officer.post(page, shown)
    change_set = ChangeSet.objects.get()
    assert response["Location"] == admin_page(change_set)
    published = CycleList.objects.get()
    assert published.cycle == cycle
    assert [fact[-1] for fact in change_set.shown["facts"]] == [published.checksum]
    assert published.published_by.username == "Rating officers"
    log = LogEntry.objects.get(content_type__app_label="league")
    assert (log.get_edited_object(), log.change_message) == (cycle, "Close a rating cycle: 2026, cycle 1")
    text = officer.get(response["Location"]).text
    assert "The cycle is closed, and 2026, cycle 1, revision 1 is published." in text
    assert f'href="{published.get_absolute_url()}"' in text
    text = officer.get(admin_page(cycle)).text
    assert f'href="{published.get_absolute_url()}"' in text
    assert page not in text

    before = stored()
    again = officer.post(page, shown)
    assert "The cycle cannot be closed: it is already closed." in words(again)
    assert stored() == before
    assert next_cycle(season).number == 2


def test_who_closes_a_cycle_sees_whose_ratings_move_from_their_start(officer, season):
    """Two new players get a first rating; the others move from what the squads say."""
    text = words(officer.get(close_page(next_cycle(season))))
    assert "4 ratings will change" in text
    for line in ("Abel Team league unrated 1300.00", "Adams Team league 1600.00 1629.09 +29.09"):
        assert line in text
    close_cycle(season, at=NOW)
    text = words(officer.get(close_page(next_cycle(season))))
    assert "2 ratings will change" in text
    assert "Adams Team league 1629.09 16" in text


@pytest.mark.parametrize("posted", [{}, {"shown": ""}, {"shown": "0" * 64}])
def test_a_list_that_was_not_shown_is_not_published(officer, season, posted):
    before = stored()
    response = officer.post(close_page(next_cycle(season)), posted)
    assert ("The data has changed since the preview. Nothing was done." in words(response)) == bool(posted)
    assert stored() == before


def test_why_a_cycle_cannot_be_closed_stands_on_the_page(officer):
    season = small_season()
    first, second = Cycle.objects.order_by("number")
    bring_round(season, *ROUND_2)
    for cycle, told in (
        (first, "2026, cycle 1 isn’t complete: there are no results for round 1."),
        (second, "close 2026, cycle 1 first."),
    ):
        response = officer.get(close_page(cycle))
        assert f"The cycle cannot be closed: {told}" in words(response)
        assert "Close the cycle and publish the list" not in response.text
    bring_round(season, *ROUND_1)
    Match.objects.get(round=1).boards.all().delete()
    assert "no board of round 1: North – South" in words(officer.get(close_page(first)))
    assert officer.get(close_page(Cycle(pk=10**9))).status_code == 400


# Corrections.


def correction(what, **fields):
    """What the form of a board takes."""
    return {
        "home_player": what.home_player_id,
        "away_player": what.away_player_id,
        "result": what.result,
        **fields,
    }


def test_only_who_may_change_is_led_to_a_correction(clerk, closed):
    officer, auditor = map(clerk, ("Rating officers", "Auditors"))
    for thing in (board(1, 1), entry("Adams"), League.objects.get()):
        page = admin_page(thing, "correct")
        assert f'href="{page}"' in officer.get(admin_page(thing)).text
        assert keeps_the_policy(officer.get(page))
        assert page not in auditor.get(admin_page(thing)).text


def test_the_preview_of_a_correction_names_the_lines_that_change_and_stores_nothing(officer, closed):
    """Cycle 1 turned round: Adams 1600 − 32 ÷ 11, Baker 2000 + 32 ÷ 11; cycle 2 goes on from there."""
    before = stored()
    first, second = Cycle.objects.order_by("number")
    wrong = board(1, 1)
    response = officer.get(admin_page(wrong, "correct"), correction(wrong, result="0-1"))
    assert keeps_the_policy(response)
    assert "2026, cycle 1, revision 2 will be published" in words(response)
    assert rows(response, f"list-{first.pk}") == [
        "Adams 1629.09 1597.09 +29.09 −2.91 31 31 North",
        "Baker 1970.91 2002.91 −29.09 +2.91 26 26 South",
    ]
    assert [line.split()[0] for line in rows(response, f"list-{second.pk}")] == ["Adams", "Baker"]
    assert 'value="Correct"' in response.text
    assert stored() == before


def test_a_correction_makes_revision_2_and_says_why(officer, closed):
    first, second = Cycle.objects.order_by("number")
    wrong, log = board(1, 1), LogEntry.objects.count()
    page, asked = admin_page(wrong, "correct"), correction(wrong, result="0-1")
    response = decide(officer, page, asked, public_reason="result", staff_note="the captains agree")
    done = ChangeSet.objects.get()
    assert response["Location"] == admin_page(done)
    assert (done.public_reason, done.moved) == ("result", 2)
    text = officer.get(response["Location"]).text
    for cycle in (first, second):
        published = CycleList.objects.latest_of(cycle)
        assert published.revision == 2
        assert f'<a href="{published.get_absolute_url()}">' in text
        assert f"{published} (2 lines)" in text
    assert ratings(first) == {
        "Abel": "1300.00",
        "Adams": "1597.09",
        "Baker": "2002.91",
        "Boyd": "1300.00",
    }
    wrong.refresh_from_db()
    assert wrong.result == "0-1"
    change = wrong.history.first()
    assert (change.history_change_reason, change.history_user.username) == (
        "the captains agree",
        "Rating officers",
    )
    assert LogEntry.objects.count() == log + 1
    assert LogEntry.objects.first().change_message == (
        "Correct a board: round 1: North – South, board 1: Adams – Baker 0-1: the captains agree"
    )

    assert "There’s nothing to do." in words(officer.get(page, asked))
    assert CycleList.objects.count() == 4


def test_a_correction_is_taken_back_by_another(officer, closed):
    cycles, wrong = Cycle.objects.order_by("number"), board(1, 1)
    before = [ratings(cycle) for cycle in cycles]
    done = decide(officer, admin_page(wrong, "correct"), correction(wrong, result="0-1"))["Location"]
    (undo,) = re.findall(r'href="([^"]*undoes[^"]*)"', officer.get(done).text)
    undo = undo.replace("&amp;", "&")
    looked = officer.get(undo)
    assert rows(looked, f"list-{cycles[0].pk}")[0] == "Adams 1597.09 1629.09 −2.91 +29.09 31 31 North"
    assert confirmed_on(officer, looked).status_code == 302
    wrong.refresh_from_db()
    assert wrong.result == "1-0"
    assert [ratings(cycle) for cycle in cycles] == before
    assert [CycleList.objects.latest_of(cycle).revision for cycle in cycles] == [3, 3]


def test_a_correction_that_moves_nothing_publishes_nothing(officer, closed):
    forfeit = board(2, 2)
    page, asked = admin_page(forfeit, "correct"), correction(forfeit, result="-/+")
    assert "Lists No list changes." in words(officer.get(page, asked))
    done = decide(officer, page, asked)
    assert "No published list is affected." in words(officer.get(done["Location"]))
    forfeit.refresh_from_db()
    assert forfeit.result == "-/+"
    assert CycleList.objects.count() == 2


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"result": "0-1", "staff_note": " "}, "This field is required."),
        ({"result": "0-1", "staff_note": "x" * 2001}, "at most 2000 characters (it has 2001)"),
        ({"result": "0-1", "public_reason": ""}, "This field is required."),
        ({}, "There’s nothing to do."),
        ({"result": "2-0"}, "2-0 is not one of the available choices."),
        ({"home_player": "Abel"}, "Abel plays board 2 of this match."),
        ({"home_player": "Baker"}, "This player isn’t in the team’s squad."),
        ({"home_player": ""}, "A board with a player missing isn’t played."),
    ],
)
@pytest.mark.rendered
def test_a_correction_that_cannot_be_is_refused_with_its_reason(officer, closed, fields, told):
    wrong, before = board(1, 1), stored()
    if fields.get("home_player"):
        fields = {"home_player": player(fields["home_player"]).pk}
    page, asked = admin_page(wrong, "correct"), correction(wrong) | fields
    reasons = {name: asked.pop(name) for name in REASONS if name in asked}
    looked = officer.get(page, asked)
    if not reasons:
        assert told in words(looked)
    shown = shown_on(looked) if reasons else "x"
    response = officer.post(page, {**asked, "shown": shown, **REASONS, **reasons})
    assert response.status_code == 200
    assert told in words(response)
    assert stored() == before


@pytest.mark.parametrize("text", ["x", "9" * 40, "-1", "\0"])
@pytest.mark.long
def test_nonsense_in_a_correction_is_no_fault_of_the_server(officer, closed, text):
    before = stored()
    adams = {"team": entry("Adams").team_id, "rating": "1600", "games": "30"}
    for what, asked in ((board(1, 1), correction(board(1, 1))), (entry("Adams"), adams)):
        for name in (*asked, "shown", "public_reason", "board", "squadplayer"):
            posted = {**asked, "shown": "x", **REASONS, name: text}
            for answer in (
                officer.get(admin_page(what, "correct"), {**asked, name: text}),
                officer.post(admin_page(what, "correct"), posted),
            ):
                assert answer.status_code in (200, 400)
    assert stored() == before
    assert officer.get(admin_page(Board(pk=10**9), "correct")).status_code == 400
    assert officer.get("/admin/office/changeset/decide/correct-board/", {"board": text}).status_code == 400


def test_a_board_that_is_gone_cannot_be_corrected(officer, closed):
    response = officer.get(admin_page(Board(pk=10**9), "correct"))
    assert "This no longer exists." in words(response)
    assert "<select" not in response.text


def test_the_page_of_a_correction_says_what_is_corrected_and_what_follows(officer, closed):
    response = officer.get(admin_page(board(1, 1), "correct"))
    text = words(response)
    assert "round 1: North – South, board 1: Adams – Baker 1-0" in text
    assert "A closed cycle uses this." in text
    assert re.findall(r"<option[^>]* selected>([^<]*)", response.text) == ["Adams", "Baker", "1-0"]
    assert "There’s nothing to do." not in text


def test_with_what_somebody_began_is_corrected_and_his_season_rated_again(officer, closed):
    """Adams at 1200: his game counts 32 × (1 − 1 ÷ 101) for him."""
    adams = entry("Adams")
    page = admin_page(adams)
    assert 'name="rating"' not in officer.get(page).text
    assert officer.post(page, {"team": adams.team_id, "rating": "1200", "games": "30"}).status_code == 403
    asked = {"team": adams.team_id, "rating": "1200", "games": "30"}
    before = stored()
    preview = officer.get(admin_page(adams, "correct"), asked)
    first = Cycle.objects.get(number=1)
    assert rows(preview, f"list-{first.pk}")[0] == "Adams 1629.09 1231.68 +29.09 +31.68 31 31 North"
    assert stored() == before
    decide(officer, admin_page(adams, "correct"), asked, staff_note="misread")
    assert ratings(first)["Adams"] == "1231.68"
    assert [one.revision for one in map(CycleList.objects.latest_of, Cycle.objects.all())] == [2, 2]
    assert adams.history.first().history_change_reason == "misread"


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"games": ""}, "Enter a rating and its games together"),
        ({"captains_estimate": "on"}, "a captain’s estimate has no games."),
        ({"rating": "", "games": ""}, "This player has no rating from an earlier season."),
        ({"rating": "4001"}, "less than or equal to 4000"),
        ({"rating": "-1"}, "greater than or equal to 0"),
        ({"rating": "1600.005"}, "no more than 2 decimal places"),
        ({"games": "100000"}, "less than or equal to 99999"),
        (
            {"team": "South"},
            "This player has already played for their team this season, so they can’t change teams.",
        ),
    ],
)
@pytest.mark.rendered
def test_with_what_nobody_can_begin_is_refused(officer, closed, fields, told):
    adams, before = entry("Adams"), stored()
    if "team" in fields:
        fields = {"team": Team.objects.get(name="South").pk}
    asked = {"team": adams.team_id, "rating": "1601", "games": "30", **fields}
    page = admin_page(adams, "correct")
    for response in (officer.get(page, asked), officer.post(page, {**asked, "shown": "x", **REASONS})):
        assert told in words(response)
    assert stored() == before


def test_the_provisional_limit_is_corrected_and_everything_rated_again(officer, closed):
    """Provisional with 40: Adams (30 × 1600 + 2000 + 400) ÷ 31, Baker (25 × 2000 + 1600 − 400) ÷ 26."""
    league = League.objects.get()
    page = admin_page(league)
    assert 'name="provisional_limit"' not in officer.get(page).text
    officer.post(page, {"name": "The league", "provisional_limit": "40"})
    league.refresh_from_db()
    assert (league.name, league.provisional_limit) == ("The league", 20)
    decide(officer, admin_page(league, "correct"), {"provisional_limit": "40"})
    league.refresh_from_db()
    assert league.provisional_limit == 40
    new = ratings(Cycle.objects.get(number=1))
    assert (new["Adams"], new["Baker"]) == ("1625.81", "1969.23")


def test_what_is_still_open_is_edited_on_its_own_page_and_not_corrected(officer, season):
    adams, open_board = entry("Adams"), board(1, 1)
    for thing in (adams, open_board, season.league):
        asked = {**correction(open_board, result="0-1"), "team": adams.team_id, "provisional_limit": "26"}
        response = officer.get(admin_page(thing, "correct"), asked | {"rating": "1650", "games": "30"})
        assert "No closed cycle uses this. Change it on its own page." in words(response)
        assert admin_page(thing, "correct") not in officer.get(admin_page(thing)).text
    officer.post(admin_page(adams), {"team": adams.team_id, "rating": "1650", "games": "30"})
    officer.post(admin_page(open_board), {**correction(open_board, result="0-1"), "number": "1"})
    officer.post(admin_page(season.league), {"name": "BAL", "provisional_limit": "26"})
    adams.refresh_from_db()
    open_board.refresh_from_db()
    season.league.refresh_from_db()
    assert (str(adams.rating), open_board.result, season.league.provisional_limit) == ("1650.00", "0-1", 26)


# Rounds.


def boards_form(match, *boards, **fields):
    """What the page of a match posts: boards as (number, home, away, result)."""
    posted = {
        "round": match.round,
        "home_team": match.home_team_id,
        "away_team": match.away_team_id,
        "boards-TOTAL_FORMS": len(boards),
        "boards-INITIAL_FORMS": "0",
    }
    for place, (number, home, away, result) in enumerate(boards):
        values = {
            "number": number,
            "home_player": player(home).pk,
            "away_player": player(away).pk,
            "result": result,
        }
        posted |= {f"boards-{place}-{name}": value for name, value in values.items()}
    return posted | fields


def test_a_round_is_entered_match_by_match_with_players_of_the_two_squads(officer):
    season = small_season()
    north, south = Team.objects.order_by("name")
    posted = {"round": "1", "home_team": north.pk, "away_team": south.pk}
    response = officer.post(admin_page(Match, "add"), posted)
    match = Match.objects.get()
    assert response["Location"] == admin_page(match)
    assert match.season == season
    page = officer.get(admin_page(match))
    assert keeps_the_policy(page)
    assert re.findall(r'name="boards-\d+-number" value="(\d)"', page.text) == list("12345678")
    select = re.search(r'<select name="boards-0-home_player".*?</select>', page.text, re.S).group()
    assert re.findall(r">([A-Z]\w*)<", select) == ["Abel", "Adams"]
    form = boards_form(match, (1, "Adams", "Baker", "1-0"), (2, "Abel", "Boyd", "+/-"))
    assert officer.post(admin_page(match), form).status_code == 302
    assert [str(one) for one in Board.objects.order_by("number")] == [
        "1: Adams – Baker 1-0",
        "2: Abel – Boyd +/−",
    ]


@pytest.mark.parametrize(
    ("boards", "told"),
    [
        ([(1, "Adams", "Baker", "1-0"), (1, "Abel", "Boyd", "1-0")], "Board 1 appears twice."),
        ([(1, "Adams", "Baker", "1-0"), (2, "Adams", "Boyd", "1-0")], "Adams plays on two boards."),
        ([(1, "Baker", "Adams", "1-0")], "This player isn’t in the team’s squad. Add them first"),
        ([(0, "Adams", "Baker", "1-0")], "greater than or equal to 1"),
        ([(100, "Adams", "Baker", "1-0")], "less than or equal to 99"),
        ([(1, "Adams", "Baker", "2-0")], "2-0 is not one of the available choices."),
    ],
)
@pytest.mark.rendered
def test_boards_that_cannot_be_are_refused_and_none_is_stored(officer, boards, told):
    small_season()
    north, south = Team.objects.order_by("name")
    match = Match.objects.create(season=north.season, round=1, home_team=north, away_team=south)
    response = officer.post(admin_page(match), boards_form(match, *boards))
    assert told in words(response)
    assert not Board.objects.exists()


def test_nobody_plays_for_two_teams_in_a_round(officer, season):
    """He changed teams in the squads after he had played: his board still says so."""
    east = Team.objects.create(season=season, name="East")
    west = Team.objects.create(season=season, name="West")
    SquadPlayer.objects.filter(player__name="Adams").update(team=east)
    carr = Player.objects.create(league=season.league, name="Carr")
    SquadPlayer.objects.create(season=season, player=carr, team=west, captains_estimate=True)
    match = Match.objects.create(season=season, round=1, home_team=east, away_team=west)
    response = officer.post(admin_page(match), boards_form(match, (1, "Adams", "Carr", "1-0")))
    assert "Adams already plays in this round: board 1 of 1: North – South." in words(response)
    assert not match.boards.exists()


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"round": "1"}, "This round is in a closed cycle."),
        ({"round": "3"}, "This round isn’t in any cycle of the season."),
        ({"round": "0"}, "greater than or equal to 1"),
        ({"round": "100"}, "less than or equal to 99"),
        ({"away_team": "North"}, "A team can’t play against itself."),
        ({"away_team": "Other"}, "These teams are from different seasons."),
        ({}, "North already has a match in this round: 2: South – North."),
    ],
)
def test_a_match_that_cannot_be_is_refused(officer, season, fields, told):
    Cycle.objects.filter(number=1).update(closed_at=NOW)
    bring_squads("Carr,Other,1500,30,no", season="2027", cycles=[2])
    teams = {team.name: team.pk for team in Team.objects.all()}
    posted = {"round": "2", "home_team": "North", "away_team": "South", **fields}
    for side in ("home_team", "away_team"):
        posted[side] = teams[posted[side]]
    before = stored()
    response = officer.post(admin_page(Match, "add"), posted)
    assert told in words(response)
    assert stored() == before


def test_only_the_stage_of_a_match_of_a_closed_cycle_can_be_changed(clerk, officer, closed):
    match = Match.objects.get(round=1)
    page = officer.get(admin_page(match))
    assert 'name="stage"' in page.text
    assert 'name="home_team"' not in page.text
    assert "boards-0-result" not in page.text
    auditor = clerk("Auditors")
    for client in (officer, auditor):
        for one in match.boards.all():
            assert f'href="{admin_page(one)}"' in client.get(admin_page(match)).text
    boards = list(match.boards.values_list())
    officer.post(admin_page(match), boards_form(match))
    assert list(match.boards.values_list()) == boards
    before = stored()
    assert auditor.post(admin_page(match), {"stage": "final"}).status_code == 403
    for thing in (match, board(1, 1), entry("Adams")):
        assert officer.get(admin_page(thing, "delete")).status_code == 403
        assert officer.post(admin_page(thing, "delete"), {"post": "yes"}).status_code == 403
        chosen = {"action": "delete_selected", "_selected_action": thing.pk, "post": "yes"}
        officer.post(admin_page(type(thing)), chosen)
    assert stored() == before
    officer.post(admin_page(match), {"stage": "final"})
    assert list(Match.objects.filter(stage="final")) == [match]
    assert list(match.boards.values_list()) == boards


# Seasons and squads.


def cycles_form(season, *rows, **fields):
    """What the page of a season posts: the stored cycles in their order, then new ones."""
    cycles = list(season.cycles.order_by("number"))
    posted = {
        "name": season.name,
        "ordinal": season.ordinal,
        "cycles-TOTAL_FORMS": len(rows),
        "cycles-INITIAL_FORMS": len(cycles),
    }
    for place, (number, last_round) in enumerate(rows):
        posted |= {f"cycles-{place}-number": number, f"cycles-{place}-last_round": last_round}
    posted |= {f"cycles-{place}-id": cycle.pk for place, cycle in enumerate(cycles)}
    return posted | fields


def as_stored(season):
    return list(season.cycles.order_by("number").values_list("number", "last_round"))


def test_a_season_is_entered_with_its_cycles(officer):
    league = League.objects.create(name="BAL")
    posted = {
        "league": league.pk,
        "name": "2026",
        "ordinal": "1",
        "cycles-TOTAL_FORMS": "3",
        "cycles-INITIAL_FORMS": "0",
    }
    for place, last_round in enumerate((5, 10, 11)):
        posted |= {f"cycles-{place}-number": place + 1, f"cycles-{place}-last_round": last_round}
    assert officer.post(admin_page(Season, "add"), posted).status_code == 302
    season = Season.objects.get()
    assert as_stored(season) == [(1, 5), (2, 10), (3, 11)]
    page = officer.get(admin_page(season)).text
    for model in (Team, SquadPlayer, Match, Cycle):
        assert f'href="{admin_page(model)}?season__id__exact={season.pk}"' in page
    assert f'href="{admin_page(Board)}?match__season__id__exact={season.pk}"' in page


@pytest.mark.parametrize(
    ("cycles", "told"),
    [
        ([(1, 5), (2, 5)], "Cycle 2 must end after cycle 1."),
        ([(1, 5), (2, 4)], "Cycle 2 must end after cycle 1."),
        ([(1, 5), (2, 0)], "greater than or equal to 1"),
        ([(1, 5), (2, 100)], "less than or equal to 99"),
    ],
)
def test_cycles_follow_one_another(officer, cycles, told):
    season = small_season()
    assert told in words(officer.post(admin_page(season), cycles_form(season, *cycles)))
    assert as_stored(season) == [(1, 1), (2, 2)]


def test_a_closed_cycle_is_neither_changed_nor_deleted_and_none_comes_before_it(officer, season):
    decide(officer, close_page(next_cycle(season)), {})
    page = admin_page(season)
    assert officer.post(page, cycles_form(season, (7, 9), (2, 8))).status_code == 302
    assert as_stored(season) == [(1, 1), (2, 8)]
    officer.post(page, cycles_form(season, (1, 1), (2, 8), **{"cycles-0-DELETE": "on"}))
    assert as_stored(season) == [(1, 1), (2, 8)]
    Cycle.objects.filter(number=1).update(number=3, last_round=9)
    Cycle.objects.filter(number=2).delete()
    early = officer.post(page, cycles_form(season, (3, 9), (1, 2)))
    assert "Cycle 3 is closed, so no cycle can be added before it." in words(early)
    assert as_stored(season) == [(3, 9)]


def test_a_season_keeps_its_place_once_a_cycle_is_closed_and_none_comes_before_it(officer, closed):
    officer.post(admin_page(closed), cycles_form(closed, (1, 1), (2, 2), ordinal="5"))
    closed.refresh_from_db()
    assert closed.ordinal == 1
    Season.objects.update(ordinal=3)
    posted = {
        "league": closed.league_id,
        "name": "2025",
        "ordinal": "2",
        "cycles-TOTAL_FORMS": "0",
        "cycles-INITIAL_FORMS": "0",
    }
    response = officer.post(admin_page(Season, "add"), posted)
    assert "This season must come after 2026, which has a closed cycle." in words(response)
    assert officer.post(admin_page(Season, "add"), {**posted, "ordinal": "4"}).status_code == 302


def test_a_team_has_its_squad_on_its_page_and_keeps_its_name_once_it_is_on_a_list(officer, season):
    north = Team.objects.get(name="North")
    page = officer.get(admin_page(north))
    assert f'href="{admin_page(entry("Adams"))}"' in page.text
    posted = {"name": "Nord"}
    officer.post(admin_page(north), posted)
    north.refresh_from_db()
    assert north.name == "Nord"
    close_all(season)
    officer.post(admin_page(north), {**posted, "name": "North"})
    north.refresh_from_db()
    assert north.name == "Nord"


def test_a_player_joins_one_squad_of_his_league_and_stays_while_he_has_boards(officer, season):
    carr = Player.objects.create(league=season.league, name="Carr")
    north, south = Team.objects.order_by("name")
    new = {"player": carr.pk, "team": north.pk, "rating": "", "games": "", "captains_estimate": "on"}
    assert officer.post(admin_page(SquadPlayer, "add"), new).status_code == 302
    joined = entry("Carr")
    assert (joined.season, joined.captains_estimate) == (season, True)
    again = officer.post(admin_page(SquadPlayer, "add"), {**new, "team": south.pk})
    assert "This player is already in the squad of North." in words(again)
    stranger = Player.objects.create(league=League.objects.create(name="Other"), name="Dale")
    other = officer.post(admin_page(SquadPlayer, "add"), {**new, "player": stranger.pk})
    assert "The team is in a different league from the player." in words(other)
    assert officer.get(admin_page(entry("Adams"), "delete")).status_code == 403
    assert officer.post(admin_page(joined, "delete"), {"post": "yes"}).status_code == 302
    assert not SquadPlayer.objects.filter(player=carr).exists()


def test_who_joined_after_a_cycle_was_closed_was_not_rated_in_it(officer, season):
    """His entry is edited and deleted until the next cycle is closed."""
    close_cycle(season, at=NOW)
    carr = Player.objects.create(league=season.league, name="Carr")
    team = Team.objects.get(name="North")
    joined = SquadPlayer.objects.create(season=season, player=carr, team=team, captains_estimate=True)
    posted = {"team": team.pk, "rating": "1500", "games": "30"}
    assert officer.post(admin_page(joined), posted).status_code == 302
    assert officer.get(admin_page(joined, "delete")).status_code == 200
    close_cycle(season, at=NOW)
    assert officer.post(admin_page(joined), {**posted, "rating": "1600"}).status_code == 403
    assert officer.get(admin_page(joined, "delete")).status_code == 403
    decide(officer, admin_page(joined, "correct"), {**posted, "rating": "1600"})
    cycles = season.cycles.order_by("number")
    assert [CycleList.objects.latest_of(cycle).revision for cycle in cycles] == [1, 2]
    assert ratings(Cycle.objects.get(number=2))["Carr"] == "1600.00"


# Lists.


def test_lists_and_their_lines_are_only_looked_at_and_lead_to_page_and_file(clerk, closed):
    published = CycleList.objects.first()
    for group in ("Rating officers", "Auditors"):
        client = clerk(group)
        page = client.get(admin_page(CycleList))
        address = published.get_absolute_url()
        assert f'href="{address}"' in page.text
        assert f'href="{address}list.csv"' in page.text
        lines = f"{admin_page(CycleResult)}?cycle_list__id__exact={published.pk}"
        assert f'href="{lines}"' in page.text
        assert [line.name for line in client.get(f"{lines}&q=ada").context["cl"].result_list] == ["Adams"]
        assert published.checksum in words(client.get(admin_page(published)))
        for thing in (published, CycleResult.objects.first()):
            assert client.post(admin_page(thing), {}).status_code == 403
            assert client.post(admin_page(thing, "delete"), {"post": "yes"}).status_code == 403


def test_a_round_is_entered_on_one_page_as_a_whole_or_not_at_all(staff, season):
    Board.objects.all().delete()
    address = f"/admin/league/match/round/{season.pk}/1/"
    assert f'href="{address}"' in staff.get(admin_page(season)).text
    page = staff.get(address)
    assert keeps_the_policy(page)
    posted = {}
    for match, boards in page.context["entered"]:
        prefix = f"match-{match.pk}"
        posted |= {f"{prefix}-TOTAL_FORMS": "1", f"{prefix}-INITIAL_FORMS": "0"}
        posted |= {
            f"{prefix}-0-number": "1",
            f"{prefix}-0-home_player": match.home_team.squad.first().player_id,
            f"{prefix}-0-away_player": match.away_team.squad.first().player_id,
            f"{prefix}-0-result": "1-0",
        }
        assert boards.prefix == prefix
    last = f"match-{match.pk}-0-result"
    refused = staff.post(address, posted | {last: ""})
    assert "Nothing was done." in words(refused)
    assert not Board.objects.exists()
    assert "Round saved." in words(staff.post(address, posted, follow=True))
    assert Board.objects.count() == len(page.context["entered"])
    assert LogEntry.objects.filter(change_message="Boards entered.").count() == Board.objects.count()
    assert staff.get(f"/admin/league/match/round/{season.pk}/99/").status_code == 404


def test_a_round_of_a_closed_cycle_is_only_looked_at(staff, closed):
    before = everything()
    address = f"/admin/league/match/round/{closed.pk}/1/"
    assert "The cycle is closed" in words(staff.get(address))
    staff.post(address, {})
    assert everything() == before
