"""The public pages of tournaments over the board: list, cross-table, explanation, card."""

from datetime import UTC, date, datetime, timedelta
from unittest.mock import patch

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client

from ratings.otb.explanation import explain
from ratings.otb.findings import finding_rows
from ratings.otb.models import (
    AcceptedFinding,
    AssociationMember,
    OtbList,
    OtbListEntry,
    Tournament,
    TournamentPlayer,
    TournamentReport,
)
from ratings.otb.services.crosstable import cross_table_line
from ratings.otb.services.judging import accept, refuse
from ratings.otb.services.period_closing import close_period
from ratings.otb.services.rating import Known, as_rated, ids_of, rate_event, read
from ratings.otb.services.standings import OnList, on_list
from ratings.rules.b02.editions import edition_in_force
from ratings.rules.b02.findings import Finds
from ratings.rules.b02.k_factor import Standing
from ratings.rules.b02.time_controls import Chapter
from tests.arena import member
from tests.otb.test_crosstable import all_play_all, swiss
from tests.otb.tournaments import AT, everybody_listed, received, report
from tests.pages import BAD_QUERIES, is_friendly, queries, words

pytestmark = pytest.mark.django_db

LIST = "/fide/tournaments/"
EDITION = edition_in_force(date(2009, 7, 1))


def steps_of(tournament, number):
    rated = as_rated(Tournament.objects.get(pk=tournament.pk))
    explanation = explain(rated, rated.participants[number - 1])
    return explanation.sentence, [f"{step.text} {step.article}" for step in explanation.steps]


def test_the_list_says_of_each_tournament_where_when_and_how_far_it_is(client):
    tournament = swiss()
    planned = Tournament.objects.create(
        name="Planned Match", kind=4, first_day="2026-04-02", last_day="2026-04-04", federation="POL"
    )
    response = client.get(LIST)
    assert is_friendly(response)
    assert "Planned Match Poland 2 Apr 2026 4 Apr 2026 Match – – standard registered –" in words(response)
    assert "Fjord Open Bergen, Norway 14 Mar 2026 14 Mar 2026 Swiss 7 4 standard received –" in words(
        response
    )
    for query, found in (
        ("tournament=open+fjörd", [tournament]),
        ("tournament=bergen", [tournament]),
        ("tournament=open+berg", [tournament]),
        ("tournament=jörd", [tournament]),
        ("tournament=fjorden", []),
        ("federation=pol", [planned]),
        ("kind=match", [planned]),
        ("status=received", [tournament]),
        ("year=2026", [planned, tournament]),
        ("year=2025", []),
        (f"after={planned.pk}", [tournament]),
    ):
        assert client.get(f"{LIST}?{query}").context["table"].page.rows == found, query
    content = b"".join(client.get(f"{LIST}?kind=swiss&format=csv")).decode()
    assert content.splitlines() == [
        "id,name,city,federation,kind,first_day,last_day,time_control,status,rated_for,chapter",
        f"{tournament.pk},Fjord Open,Bergen,NOR,swiss,2026-03-14,2026-03-14,7200,received,,standard",
    ]


@pytest.mark.parametrize(("query", "status"), BAD_QUERIES)
def test_odd_addresses_of_the_list_get_an_answer(client, query, status):
    swiss()
    response = client.get(f"{LIST}?{query.replace('member=', 'tournament=')}")
    assert response.status_code == status


@pytest.mark.parametrize(
    "query", ["year=x", "year=99999999999", "year=0", "kind=9", "status=%00", "year=2026.5"]
)
def test_a_filter_that_makes_no_sense_is_answered_in_words(client, query):
    response = client.get(f"{LIST}?{query}")
    assert response.status_code == 400
    assert is_friendly(response)


def test_the_list_takes_as_many_statements_for_fifty_as_for_one(client):
    swiss()
    few = queries(client, LIST)
    day = date(2026, 1, 1)
    Tournament.objects.bulk_create(
        Tournament(name=f"Open {n}", first_day=day, last_day=day + timedelta(n)) for n in range(60)
    )
    assert queries(client, LIST) == few <= 6


def test_tournaments_to_come_are_above_the_list_and_in_its_files_and_searches(client):
    tournament = swiss()
    planned = Tournament.objects.create(
        name="New Year Open", city="Oslo", federation="NOR", first_day="2026-12-29", last_day="2027-01-06"
    )
    with patch("django.utils.timezone.now", return_value=datetime(2026, 12, 28, tzinfo=UTC)):
        response = client.get(LIST)
        assert "Upcoming New Year Open , Oslo · 29 Dec 2026 – 6 Jan 2027 Tournament" in words(response)
        assert response.context["table"].page.rows == [tournament]
        assert client.get(f"{LIST}?tournament=oslo").context["table"].page.rows == [planned]
        assert b"New Year Open" in b"".join(client.get(f"{LIST}?format=csv"))
        Tournament.objects.filter(pk=planned.pk).update(status=Tournament.Status.REFUSED)
        response = client.get(LIST)
        assert "Upcoming" not in words(response)
        assert response.context["table"].page.rows == [planned, tournament]
    with patch("django.utils.timezone.now", return_value=datetime(2026, 12, 29, tzinfo=UTC)):
        response = client.get(LIST)
        assert "Upcoming" not in words(response)
        assert response.context["table"].page.rows == [planned, tournament]


def test_the_cross_table_of_a_swiss_has_colours_results_and_brackets_around_what_is_not_rated(client):
    tournament = swiss()
    response = client.get(tournament.get_absolute_url())
    assert is_friendly(response)
    text = words(response)
    # By points, then by tie-breaks. Opponents are named by place: PlayerD is second. A performance of 4 of 4
    # against 1900 is 800 points above it, of ½ out of 1 against 2100 the same.
    assert "1 PlayerA, Anna 2200 2200 1 w2 1 b5 1 w3 1 b6 4 +12.45 2700 6 7½ 7½ 4" in text
    assert "4 PlayerE, Anna 1750 1750 ½ w5 ( 0 ) b7 ( + ) w6 ½ bye 2 +5.85 2100 4½ 6½ 3¼ 0" in text
    assert "6 PlayerG, Anna 1600 1600 1 bye ½ bye ( − ) b4 0 w1 1½ −1.20 1400 7 8½ 2¼ 0" in text
    assert "Points Change Performance BH-C1 BH SB WON" in text
    assert "Ties are broken by BH-C1, BH, SB and WON, in this order." in text
    assert "PlayerA, Anna 2200 4 1900 4 3.17 15 +12.45 2212.45" in text
    assert "PlayerE, Anna 1750 1 2100 ½ 0.11 15 +5.85 1755.85" in text
    assert "PlayerF, Anna – 4 1938 1½ – – – 1851" in text
    assert "PlayerG, Anna 1600 1 2200 0 0.08 15 −1.20 1598.80" in text
    assert "Preview: this tournament is not rated yet." in text
    assert (
        "note: Round 3: the game between PlayerE, Anna and PlayerG, Anna was not played, so it is "
        "not rated" in text
    )
    assert f"open.trf Received 2 Apr 2026, 10:00 UTC SHA-256 {tournament.report.sha256}" in text
    download = client.get(f"{tournament.get_absolute_url()}crosstable.csv")
    assert download["Content-Disposition"] == f'attachment; filename="crosstable-{tournament.pk}.csv"'
    assert b"".join(download).decode().splitlines()[6].startswith("6,7,1000007,")


def test_the_cross_table_of_a_round_robin_is_everybody_against_everybody(client):
    response = client.get(all_play_all().get_absolute_url())
    text = words(response)
    assert "3 PlayerC, Anna 2100 2100 ½ 0 Same player 1 ½ 1 3 +8.70 2200 5½ 2" in text
    assert "Points Change Performance SB WON" in text
    assert "Ties are broken by SB, then WON." in text
    assert "PlayerC, Anna 2100 5 2128 3 2.42 15 +8.70 2108.70" in text
    assert "PlayerE, Anna – 5 2166 1½ – – – 2042" in text
    assert "Format Round robin Time control 120 min Status Received" in text


def test_6_43_a_round_robin_with_a_game_missing_says_that_it_is_rated_as_a_swiss(client):
    players = everybody_listed(2200, 2100, 2000)
    rounds = [{(1, 2): "1"}, {(1, 3): "="}, {(2, 3): "+"}]
    tournament = received(report(players, rounds, kind="Round-Robin")).tournament
    text = words(client.get(tournament.get_absolute_url()))
    assert "Format Round robin, rated as a Swiss (B.02 6.43)" in text
    assert "1 game of the round robin was not played, so it is rated as a Swiss (B.02 6.43)." in text
    assert "PlayerB, Anna 2100 2100 0 Same player ( + ) 1" in text
    assert "PlayerB, Anna 2100 1 2200 0 0.36 15 −5.40 2094.60" in text


def test_2_1_what_was_changed_in_the_laws_of_chess_is_public_and_waits_for_consent(client):
    tournament = swiss()
    Tournament.objects.filter(pk=tournament.pk).update(other_laws="No castling.")
    stored = Tournament.objects.get(pk=tournament.pk)
    assert [finding.finds for finding in as_rated(stored).refusals] == [Finds.OTHER_LAWS]
    text = words(client.get(tournament.get_absolute_url()))
    assert "Changes to FIDE’s laws of chess No castling." in text
    assert "refusal: The games weren’t played under FIDE’s laws, which needs the consent" in text
    accept(stored, Finds.OTHER_LAWS, "Consent of 1 March", None, AT)
    assert as_rated(stored).refusals == []


def test_0_2_a_top_event_without_its_federation_is_rated_from_a_report_that_the_office_brings(client):
    """It is entered as one of FIDE’s own (0.3), so nothing is missing because nobody registered it."""
    tournament = swiss()
    Tournament.objects.filter(pk=tournament.pk).update(official=True, registered_on=None)
    assert as_rated(Tournament.objects.get(pk=tournament.pk)).refusals == []
    page = words(client.get("/how-ratings-work/b02/"))
    assert "A top tournament can be rated even if its federation sends no report." in page
    assert "In that case we get a report ourselves" in page


@pytest.mark.parametrize(("day", "verb"), [(10, "can"), (11, "could")])
def test_0_5_a_refusal_can_be_appealed_until_the_seventh_day_and_then_could_be(
    client, monkeypatch, day, verb
):
    tournament = swiss()
    refuse(tournament, "Too fast.", date(2026, 4, 3))
    at = datetime(2026, 4, day, 23, 59, tzinfo=UTC)
    monkeypatch.setattr("ratings.otb.models.refusals.timezone.now", lambda: at)
    text = words(client.get(tournament.get_absolute_url()))
    assert f"The organizer {verb} appeal until 10 Apr 2026 (B.02 0.5)." in text
    assert "This tournament was refused and is not rated." in text
    assert "if it were rated now" not in text


def test_a_refused_tournament_says_why_and_until_when_an_appeal_is_possible(client, django_user_model):
    tournament = swiss()
    clerk = django_user_model.objects.create_user("clerk", is_staff=True)
    refuse(tournament, "Too fast.", date(2026, 4, 3))
    Tournament.objects.filter(pk=tournament.pk).update(time_control="3600")
    AcceptedFinding.objects.create(
        tournament=tournament,
        finds=Finds.REGISTERED_LATE,
        reason="Consent of 1 March",
        accepted_at=AT,
        accepted_by=clerk,
    )
    Tournament.objects.filter(pk=tournament.pk).update(registered_on=date(2026, 3, 1))
    response = client.get(tournament.get_absolute_url())
    text = words(response)
    said = "Refused on 3 Apr 2026. The organizer could appeal until 10 Apr 2026 (B.02 0.5). Too fast."
    assert f"Status Refused {said}" in text
    assert "refusal: With 60 minutes for 60 moves, the players have too little time" in text
    assert "Accepted on 2 Apr 2026: Consent of 1 March" in text
    assert "clerk" not in text
    client.force_login(clerk)
    assert "Accepted on 2 Apr 2026: Consent of 1 March (clerk)" in words(
        client.get(tournament.get_absolute_url())
    )


def test_a_tournament_without_a_report_says_so_and_has_no_players(client):
    planned = Tournament.objects.create(name="Planned", first_day="2027-01-02", last_day="2027-01-04")
    address = planned.get_absolute_url()
    assert "We haven’t received a report yet." in words(client.get(address))
    assert client.get(f"{address}players/1/").status_code == 404
    assert client.get(f"{address}crosstable.csv").status_code == 404


def test_pages_and_files_never_read_the_report_again(client):
    address = swiss().get_absolute_url()
    pages = [address, f"{address}players/1/", f"{address}crosstable.csv"]
    before = [client.get(page).getvalue() for page in pages]
    TournamentReport.objects.update(content=b"nothing")
    cache.clear()
    assert [client.get(page).getvalue() for page in pages] == before


def test_a_report_of_an_earlier_version_says_on_its_page_that_its_games_come_later(client):
    tournament = swiss()
    TournamentReport.objects.update(records=None)
    address = tournament.get_absolute_url()
    assert "The players and games of this report aren’t ready yet." in words(client.get(address))
    assert client.get(f"{address}players/1/").status_code == 404
    assert client.get(f"{address}crosstable.csv").status_code == 404


@pytest.mark.parametrize(
    "address",
    [
        "/fide/tournaments/999999/",
        f"/fide/tournaments/{'9' * 30}/",
        "/fide/tournaments/{0}/players/99/",
        f"/fide/tournaments/{{0}}/players/{'9' * 30}/",
        "/fide/players/424242/",
        f"/fide/players/{'9' * 30}/",
        "/fide/tournaments/999999/crosstable.csv",
        "/fide/tournaments/-1/",
    ],
)
def test_what_there_is_not_is_answered_with_404(client, address):
    response = client.get(address.format(swiss().pk))
    assert response.status_code == 404
    assert is_friendly(response)


def test_two_hundred_players_take_no_more_statements_and_a_large_table_has_pages(client):
    few = queries(client, swiss().get_absolute_url())
    players = everybody_listed(*(1400 + n for n in range(302)), period=date(2026, 2, 1))
    rounds = [{(n, n + 1): "=" for n in range(1, 302, 2)}] * 3
    large = received(report(players, rounds, name="Large", kind="Swiss")).tournament
    # Two of them read the players and the games.
    assert queries(client, large.get_absolute_url()) <= few + 1 <= 19
    assert len(client.get(f"{large.get_absolute_url()}?page=1").context["grid"].rows) == 100
    assert len(client.get(f"{large.get_absolute_url()}?page=4").context["grid"].rows) == 2
    for odd in ("x", "-1", "99", "9" * 30):
        assert client.get(f"{large.get_absolute_url()}?page={odd}").status_code == 200


def test_8_5_the_explanation_of_a_rated_player_goes_from_d_to_the_new_rating(client):
    tournament = swiss()
    sentence, steps = steps_of(tournament, 7)
    assert sentence == "Rating 1600, change −1.20."
    rated = as_rated(tournament)
    found = explain(rated, rated.participants[6])
    assert found.headline == "Anna PlayerG scored less than expected, so the rating falls by 1.20."
    assert found.picture.text == "(0 − 0.08) × 15 = −1.20"
    assert found.picture.falls
    assert steps == [
        "On the list in force on 14 Mar 2026, the first day of the tournament, Anna PlayerG has a rating "
        "of 1600. 4.13",
        "D is the player’s rating minus the opponent’s; a difference of more than 400 counts as 400. P(D) is"
        " read from the table. 8.54, 8.55(a), 8.1(b)",
        "Rc, the average of the opponents’ ratings, for information: 2200 ÷ 1 = 2200. ",
        "We, the sum of P(D) over all games that count: 0.08. 8.55(a)",
        "ΣΔR = score − We = 0.00 − 0.08 = −0.08. 8.55(b)",
        "K = 15: at least 30 rated games, and no published rating of 2400 yet. 8.56",
        "Change = ΣΔR × K = −0.08 × 15 = −1.20. 8.55(c)",
        "Rn = Ro + change = 1600 + (−1.20) = 1598.80. For the list, the changes from all tournaments in "
        "its period are added up, and the sum is rounded once. 8.55(c), 8.57",
    ]
    response = client.get(f"{tournament.get_absolute_url()}players/7/")
    assert is_friendly(response)
    text = words(response)
    assert "1 – – 1 – – – – – not played, or not rated: does not count (B.02 5.1)" in text
    assert (
        "4 PlayerA, Anna White 0 2200 −600 −400 0.08 −0.08 game between two rated players (B.02 8.51)" in text
    )
    assert "← PlayerB, Anna" in text


def test_8_2_the_explanation_of_a_new_player_in_a_swiss(client):
    tournament = swiss()
    sentence, steps = steps_of(tournament, 6)
    assert sentence == "A performance of 1851 counts towards a first rating."
    assert steps == [
        "On the list in force on 14 Mar 2026, the first day of the tournament, Anna PlayerF has no "
        "rating. 4.13",
        "Only games against rated players count: 4, with a score of 1½. 6.41, 8.21(a)",
        "Rc, the average of the opponents’ ratings: 7750 ÷ 4 = 1937.5, rounded to 1938. 8.21(a)",
        "1½ out of 4 is less than 50%: p ≈ 0.38, and d(p) = −87. Ru = Rc + d(p) = 1938 + (−87) = 1851. 8.24",
        "With three games against rated players, a point and a value of at least 1200, this can be the first "
        "result that counts. 6.41, 8.21, 8.31",
    ]
    assert "A first rating needs nine games within two years" in words(
        client.get(f"{tournament.get_absolute_url()}players/6/")
    )


def test_8_58_the_explanation_of_a_new_player_in_a_round_robin(client):
    tournament = all_play_all()
    _sentence, steps = steps_of(tournament, 5)
    assert steps[1:] == [
        "In a round robin all games count: 5 in total, 5 against rated players, with a score of 1½. 6.3, "
        "8.21(b)",
        "Rar = 2140, the average of the rated players’ ratings. 8.21(b)",
        "d(pa) = −42.6, the average of their d(p). 8.21(b)",
        "Ra = Rar − d(pa) × n ÷ (n + 1) = 2140 − (−42.6) × 5 ÷ 6 = 2175.5, rounded to 2176. 8.21(b)",
        "1½ out of 5 is less than 50%: p = 0.30, and d(p) = −149. Ru = Ra + d(p) × n ÷ (n + 1) = 2176 + "
        "(−149) × 5 ÷ 6 ≈ 2051.83, rounded to 2052. 8.25",
        "Opponents rated more than 400 points above or below 2052 count as exactly 400 points away, which "
        "shifts their ratings by: PlayerA, Anna −48. 8.58",
        "The new Rc = Ra + sum ÷ n = 2176 + (−48) ÷ 5 = 2166.4, rounded to 2166. 8.58",
        "1½ out of 5 is less than 50%: p = 0.30, and d(p) = −149. Ru = Rc + d(p) × n ÷ (n + 1) = 2166 + "
        "(−149) × 5 ÷ 6 ≈ 2041.83, rounded to 2042. 8.25",
        "With three games against rated players, a point and a value of at least 1200, this can be the first "
        "result that counts. 6.41, 8.21, 8.31",
    ]
    assert "PlayerB, Anna 0.70 149" in words(client.get(f"{tournament.get_absolute_url()}players/5/"))


def test_8_4_a_rating_that_came_after_the_first_day_counts_for_the_own_games_alone():
    tournament = swiss()
    later = OnList(1_000_006, "", "", "", "", "", "", None, Standing(1850, 9), 25, None)
    report_of = read(tournament.report)
    listed = on_list(tournament.first_day, Chapter.STANDARD, ids_of([report_of]))
    known = Known(listed, {1_000_006: later}, (), {}, date(2026, 5, 1), date(2026, 3, 1), EDITION, EDITION)
    (rated,) = rate_event([(tournament, report_of)], known)
    # −150 0.30, 100 0.64, −250 0.19, −50 0.43: We 1.56, 25 × (1.50 − 1.56)
    line = cross_table_line(rated.participants[5])
    assert tuple(map(str, line[3:])) == ("4", "1.5", "1938", "1.56", "-1.50", "25", "1848.50")
    explanation = explain(rated, rated.participants[5])
    assert explanation.sentence == "Rating 1850, change −1.50."
    assert explanation.steps[0].text == (
        "On the list in force on 14 Mar 2026, the first day of the tournament, Anna PlayerF has no "
        "rating, but has"
        " received one since: 1850. It counts for these games. For the opponents, Anna PlayerF "
        "counts as unrated."
    )
    assert explanation.steps[5].text == "K = 25, from the list with that rating."
    assert str(explain(rated, rated.participants[1]).games[2].why) == "opponent unrated: not rated"


@pytest.mark.parametrize(
    ("before", "k", "text"),
    [
        (Standing(1600, 1), 25, ("K = 25: 1 rated game so far, fewer than 30.", "8.56")),
        (Standing(1600, 29), 25, ("K = 25: 29 rated games so far, fewer than 30.", "8.56")),
        # A list of FIDE doesn't say how many.
        (Standing(1600, 0), 25, ("K = 25, from the list in force on the first day.", "4.13")),
        (
            Standing(1600, 30),
            15,
            ("K = 15: at least 30 rated games, and no published rating of 2400 yet.", "8.56"),
        ),
        (
            Standing(1600, 30, reached_2400=True),
            10,
            ("K = 10 permanently, because a published rating was 2400 or more.", "8.56"),
        ),
        (
            Standing(1600, 30),
            20,
            (
                "K = 20, from the list in force on the first day. This edition doesn’t have that K (B.02"
                " 8.56), but the list’s K counts for the whole tournament.",
                "4.13",
            ),
        ),
    ],
)
def test_8_56_the_explanation_says_why_k_is_what_it_is_and_cites_8_56_only_where_k_follows_from_it(
    before, k, text
):
    tournament = swiss()
    report_of = read(tournament.report)
    listed = {
        player.fide_id: OnList(player.fide_id, "", "", "", "", "", "", None, before, k, None)
        for player in report_of.players
    }
    (rated,) = rate_event(
        [(tournament, report_of)],
        Known(listed, listed, (), {}, date(2026, 5, 1), date(2026, 3, 1), EDITION, EDITION),
    )
    assert text in [(step.text, step.article) for step in explain(rated, rated.participants[0]).steps]
    notes = [str(row.sentence) for row in finding_rows(rated) if row.finds is Finds.K_OF_LIST]
    assert notes == (
        [
            "The list in force gives 7 players (the first is PlayerA, Anna) a K that this edition "
            "doesn’t have. K is 25, then 15, and 10 once a player has reached 2400. The list’s K "
            "counts for this tournament (B.02 8.56)."
        ]
        if k == 20
        else []
    )


def a_closed_period():
    """The two tournaments, rated for the list of 1 May 2026, and a third that waits."""
    first, second = swiss(), None
    close_period(until=date(2026, 4, 24), at=AT.replace(month=4, day=25))
    players = as_rated(Tournament.objects.get(pk=first.pk)).participants
    content = report(
        [one.reported._replace(rounds=()) for one in players],
        [{(1, 6): "="}],
        name="Second",
        kind="Swiss",
        first_day=date(2026, 5, 9),
    )
    second = received(content, at=AT.replace(month=5, day=20)).tournament
    return Tournament.objects.get(pk=first.pk), second


@pytest.fixture(scope="class")
def closed(standing):
    return standing(a_closed_period)


def test_the_card_shows_lists_tournaments_and_those_that_wait(client, closed):
    anna = member("anna", name="A, Anna", fide_id=1_000_001)
    response = client.get("/fide/players/1000001/")
    assert is_friendly(response)
    text = words(response)
    assert "PlayerA, Anna Over the board" in text
    assert f'<a href="{anna.get_absolute_url()}">' in response.text
    assert "List dated Standard Change Games K 1 May 2026 2212 +12 4 15" in text
    assert "9 May 2026 Second received – – – – – not rated" in text
    assert "14 Mar 2026 Fjord Open rated 4 4 1900 +12.45 – rating change" in text
    assert "Towards a first rating" not in text


def test_7_14_the_card_of_a_player_without_a_rating_says_what_is_missing(client, closed):
    text = words(client.get("/fide/players/1000006/"))
    assert (
        "For the list of 1 Jul 2026, all results count together as one tournament: 4 games, score 1½, "
        "opponents’ average 1938, worth 1851 (B.02 7.14(e), 8.3). Not yet published: too few games (B.02 "
        "7.14). 5 more games are needed (9 in all)." in text
    )
    assert "14 Mar 2026 Fjord Open rated 4 1½ 1938 – 1851 result of an unrated player" in text
    page = words(client.get(f"{closed[0].get_absolute_url()}players/6/"))
    assert "5 more games are needed (9 in all)." in page
    assert "Preview:" not in page


def test_7_21_what_a_player_did_before_he_was_delisted_is_no_way_to_a_rating(client, closed):
    may = OtbList.objects.get(list_day=date(2026, 5, 1))
    OtbListEntry.objects.create(
        otb_list=may, fide_id=1_000_006, name="PlayerF, Anna", delisted_on=may.list_day
    )
    text = words(client.get("/fide/players/1000006/"))
    assert (
        "No result from the last two years counts (B.02 8.21, 8.31). 9 more games are needed (9 in all)."
    ) in text


def test_7_14_g_a_member_of_an_association_of_the_disabled_needs_seven_games(client, closed):
    AssociationMember.objects.create(fide_id=1_000_006, association="IBCA", since=date(2026, 1, 1))
    assert "3 more games are needed (7 in all)." in words(client.get("/fide/players/1000006/"))


def test_a_rated_tournament_leads_to_its_list_and_is_no_preview(client, closed):
    first, _second = closed
    response = client.get(first.get_absolute_url())
    address = OtbList.objects.get(list_day=date(2026, 5, 1)).get_absolute_url()
    assert f'<a href="{address}">on the list of 1 May 2026</a>' in response.text
    assert "Preview:" not in words(response)
    assert f'<a href="{address}">1 May 2026</a>' in client.get(LIST).text


def test_a_card_takes_a_fixed_number_of_statements(client, closed):
    assert queries(client, "/fide/players/1000001/") <= 8
    assert queries(client, f"{closed[0].get_absolute_url()}players/1/") <= 12
    # A result towards a first rating is explained by the games of all.
    assert queries(client, f"{closed[0].get_absolute_url()}players/6/") <= 17


def test_a_player_of_the_fide_list_alone_has_a_card_and_is_linked_from_the_players(client):
    everybody_listed(2200)
    assert 'href="/fide/players/1000001/"' in client.get("/fide/players/").text
    text = words(client.get("/fide/players/1000001/"))
    assert "FIDE rating, standard 2200" in text
    assert "No tournaments." in text


def test_a_player_whom_only_a_waiting_report_knows_has_a_card(client):
    everybody_listed(2200)
    players = everybody_listed(2200, period=date(2026, 2, 1))
    stranger = players[0]._replace(start_rank=2, fide_id=7_654_321, name="Stranger, Sam")
    received(report([*players, stranger], [{(1, 2): "1"}], kind="Swiss"))
    text = words(client.get("/fide/players/7654321/"))
    assert "Stranger, Sam" in text
    assert "14 Mar 2026 Fjord Open received" in text


def test_a_tournament_has_its_average_its_rounds_and_its_start_list(client):
    """(2500 + 2200 + 2100 + 2000 + 1900) / 5 = 2140."""
    text = words(client.get(all_play_all().get_absolute_url()))
    assert "Pairings for round Round 1 Round 2 Round 3 Round 4 Round 5" in text
    assert "6 players · average rating 2140" in text
    assert "Start list No. Player Rating 1 PlayerA, Anna 2500" in text


def test_a_round_has_each_game_once_with_its_result_and_forfeits_as_such(client):
    """On the pairing sheet A comes first with 2 points, then G with 1½, F with 1, and last a bye.

    Expected are 0.76 and 0.24 (D = 200), K = 15; a forfeit changes nothing, nor an opponent without a rating.
    """
    text = words(client.get(f"{swiss().get_absolute_url()}rounds/3/"))
    assert (
        "Pairings Points White Result Black Points "
        "2 PlayerA, Anna 2200 +3.60 1-0 PlayerC, Anna 2000 −3.60 1½ "
        "½ PlayerE, Anna 1750 + − PlayerG, Anna 1600 1½ "
        "1 PlayerF, Anna unrated ½-½ PlayerB, Anna 2100 ½ "
        "½ PlayerD, Anna 1900 1 bye or absent – Listed as on"
    ) in text


def test_every_round_of_a_tournament_is_a_page_and_no_other(client):
    address = swiss().get_absolute_url()
    content = client.get(address).text
    for number in range(1, 5):
        assert f'href="{address}rounds/{number}/"' in content
        assert client.get(f"{address}rounds/{number}/").status_code == 200
    for number in (0, 5, "9" * 30):
        response = client.get(f"{address}rounds/{number}/")
        assert response.status_code == 404
        assert is_friendly(response)


def test_a_round_has_the_day_that_the_report_gives_for_it_and_no_other(client):
    players = everybody_listed(2200, 2100)
    rounds = [{(1, 2): "1"}, {(2, 1): "1"}]
    days = [date(2027, 1, 2), date(2027, 1, 5)]
    played = {"first_day": days[0], "last_day": days[1]}
    afterwards = datetime(2027, 1, 6, tzinfo=UTC)
    content = report(players, rounds, days=days, name="Open", **played)
    address = received(content, at=afterwards).tournament.get_absolute_url()
    assert "Round 1 Open · 2 Jan 2027 Cross-table" in words(client.get(f"{address}rounds/1/"))
    assert "Round 2 Open · 5 Jan 2027 Cross-table" in words(client.get(f"{address}rounds/2/"))
    content = report(players, rounds, name="Other open", **played)
    address = received(content, at=afterwards).tournament.get_absolute_url()
    assert "Round 1 Other open Cross-table" in words(client.get(f"{address}rounds/1/"))


def test_before_a_report_there_are_no_rounds(client):
    planned = Tournament.objects.create(name="Planned", first_day="2027-01-02", last_day="2027-01-04")
    assert "rounds/" not in client.get(planned.get_absolute_url()).text
    assert client.get(f"{planned.get_absolute_url()}rounds/1/").status_code == 404


def test_without_colours_a_round_has_each_game_once_and_nobody_has_white(client):
    players = everybody_listed(2200, 2100)
    content = report(players, [{(1, 2): "1"}]).replace(b" w 1", b" - 1").replace(b" b 0", b" - 0")
    text = words(client.get(f"{received(content).tournament.get_absolute_url()}rounds/1/"))
    assert "Points Player Result Opponent Points 0 PlayerA, Anna 2200" in text
    assert "1-0 PlayerB, Anna" in text
    assert text.count("PlayerA, Anna") == 1
    assert "The report doesn’t say who had White." in text


def test_points_before_a_round_are_left_out_where_the_report_counts_them_in_another_way(client):
    tournament = swiss()
    TournamentPlayer.objects.filter(tournament=tournament, number=1).update(points=120)
    text = words(client.get(f"{tournament.get_absolute_url()}rounds/3/"))
    assert "– PlayerA, Anna 2200 +3.60 1-0 PlayerC, Anna 2000 −3.60 –" in text


def logged_in_as(client, who):
    who.user = User.objects.create_user(who.username)
    who.save()
    client.force_login(who.user)


def test_who_is_logged_in_sees_their_own_games_first_and_nobody_else_does(client, settings):
    settings.CACHES = {**settings.CACHES, "pages": settings.CACHES["default"]}
    tournament = swiss()
    logged_in_as(client, member("anna", fide_id=1_000_005))
    address = tournament.get_absolute_url()
    own = words(client.get(address))
    assert "Your games Round Points White Result Black Points 1 0 PlayerE, Anna 1750 +" in own
    assert own.index("Your games") < own.index("Place Player")
    text = words(client.get(f"{address}rounds/3/"))
    assert "Your game Points White Result Black Points ½ PlayerE, Anna 1750 + − PlayerG" in text
    visitor = Client()
    for page in (address, f"{address}rounds/3/", address):
        assert "Your game" not in words(visitor.get(page))
    stranger = Client()
    logged_in_as(stranger, member("boris", fide_id=1_999_999))
    assert "Your game" not in words(stranger.get(address))


def test_a_round_takes_no_more_statements_than_its_tournament(client):
    tournament = swiss()
    address = tournament.get_absolute_url()
    assert queries(client, f"{address}rounds/3/") <= queries(client, address)
