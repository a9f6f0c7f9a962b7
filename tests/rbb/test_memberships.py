"""RBB 2.1 in hindsight: full membership that changes, and the games it no longer covers, or covers now."""

from datetime import timedelta
from decimal import Decimal
from itertools import permutations

import pytest
from django.contrib.auth.models import Group, Permission
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from members.models import FullMembership
from ratings.office.deciding import Proposal, preview
from ratings.office.decision_types import kind_of
from ratings.office.due import due_for
from ratings.office.models import ChangeSet
from ratings.rbb.decisions.memberships import span_texts
from ratings.rbb.ledger.corrections import reinstate_games, void_games
from ratings.rbb.ledger.replay import replay
from ratings.rbb.memberships import change_spans
from ratings.rbb.models import Game, OpeningRating, Rating, RatingChange
from ratings.rules.rbb.conditions import NOT_FULL
from tests.arena import START, at, game, member, opening, points, projections, rated
from tests.backoffice import admin_page
from tests.decisions import DecisionCase, confirmed_on, decided, shown_on, staff_login, undo
from tests.pages import words

pytestmark = pytest.mark.django_db

WHITE, BLACK, BOTH = NOT_FULL
EARLY, LATE = at(8), at(40)


def asked(who, *spans, rate=True):
    """What the form of the decision takes."""
    parameters = {"member": [str(who.pk)], "span": span_texts(spans), "rate_games": ["on"] if rate else []}
    return {name: values for name, values in parameters.items() if values}


def proposed(who, *spans, **rate):
    return Proposal(kind=kind_of("change-membership"), parameters=asked(who, *spans, **rate))


def change(who, *spans, **rate):
    """Decide it."""
    return decided("change-membership", **asked(who, *spans, **rate))


def state():
    """Spans, games and projections; keys of spans may differ after one is entered again."""
    return [
        list(
            FullMembership.objects.order_by("member", "full_from").values_list(
                "member", "full_from", "full_until"
            )
        ),
        list(Game.objects.order_by("pk").values_list("pk", "rated", "unrated_reason", "voided_at")),
        projections(),
    ]


def reason(one):
    one.refresh_from_db()
    return one.rated, one.unrated_reason


def two_games():
    """Anna, 1800, beats Bob and then Carl, both 1700: she is a full member from START on, without an end."""
    anna, bob, carl = rated(1800), rated(1700), rated(1700)
    return anna, [game(anna, bob, minute=10), game(carl, anna, "0-1", minute=20)]


@pytest.fixture(scope="class")
def played(standing):
    return standing(two_games)


def test_2_1_a_span_that_ends_earlier_makes_the_games_after_it_unrated_and_shows_whose_ratings_move(played):
    anna, (first, second) = played
    # D = 100: PD 0.64, so 0.36 × 20 = +7.20; then D = 107: PD 0.65, so +7.00 (RBB 3.9, 4.2).
    assert points(anna) == Decimal("1814.20")
    effect = preview(proposed(anna, (START, at(8))))
    moves = {(move.subject, move.before, move.after) for move in effect.moves}
    assert moves == {
        (anna.pk, 1814_20, 1807_20),
        (second.white_id, 1693_00, 1700_00),
    }
    assert points(anna) == Decimal("1814.20")
    done = change(anna, (START, at(8)))
    assert done.moved == 2
    assert points(anna) == Decimal("1807.20")
    assert reason(first) == (True, "")
    assert reason(second) == (False, BLACK)
    assert replay(check=True).differences == 0


def test_2_1_a_span_that_is_deleted_takes_all_its_games_along_and_undoing_gives_everything_back(played):
    anna, games = played
    before = state()
    done = change(anna)
    assert [reason(one) for one in games] == [(False, WHITE), (False, BLACK)]
    assert points(anna) == Decimal("1800.00")
    assert not anna.full_memberships.exists()
    undo(done)
    assert state() == before


def test_2_1_a_span_that_reaches_further_offers_the_games_kept_unrated_for_lack_of_it(played):
    anna, games = played
    before = projections()
    change(anna, (START, at(1)))
    assert points(anna) == Decimal("1800.00")
    offered = preview(proposed(anna, (START, None)))
    assert [(fact.before, fact.after) for fact in offered.inputs][1:] == [("unrated", "rated")] * 2
    change(anna, (START, None))
    assert projections() == before
    assert [reason(one) for one in games] == [(True, "")] * 2


def test_2_1_the_officer_may_leave_them_unrated(played):
    anna, games = played
    change(anna, (START, at(1)))
    change(anna, (START, None), rate=False)
    assert [reason(one) for one in games] == [(False, WHITE), (False, BLACK)]
    assert points(anna) == Decimal("1800.00")


def test_2_1_undoing_a_shorter_span_rates_only_what_it_made_unrated(played):
    anna, (first, second) = played
    change(anna, (START, at(1)))
    change(anna, (START, None), rate=False)
    decided("rate-games", game=[str(first.pk)])
    before = state()
    undo(change(anna, (START, at(2))))
    assert state() == before
    assert reason(second) == (False, BLACK)


def test_2_1_a_game_that_lacks_both_memberships_is_offered_when_the_second_is_back(played):
    anna, (first, _second) = played
    bob = first.black
    change(anna)
    change(bob)
    assert reason(first) == (False, BOTH)
    change(anna, (START, None))
    assert reason(first) == (False, BLACK)
    change(anna)
    assert reason(first) == (False, BOTH)
    change(bob, (START, None))
    assert reason(first) == (False, WHITE)
    change(anna, (START, None))
    assert reason(first) == (True, "")
    assert points(anna) == Decimal("1814.20")


@pytest.mark.parametrize("noted", ["", "friendly game", f"{WHITE}; not played"])
def test_2_1_a_game_that_is_unrated_for_anything_else_is_not_offered(noted):
    anna = member(full_from=None)
    game(anna, member(), rated=False, unrated_reason=noted)
    effect = preview(proposed(anna, (START, None)))
    assert [fact.label for fact in effect.inputs] == [f"{anna}: full membership"]


def test_2_1_a_game_against_which_something_else_stands_is_not_offered():
    anna = member(full_from=None)
    game(anna, member(), rated=False, unrated_reason=WHITE, plies=1)
    game(anna, member(), rated=False, unrated_reason=WHITE, notation="420+1")
    game(anna, member(full_from=None), rated=False, unrated_reason=WHITE)
    change(anna, (START, None))
    assert not Game.objects.filter(rated=True).exists()


def test_2_1_a_void_game_stays_void_and_is_not_reinstated_without_its_membership(played):
    anna, (first, second) = played
    void_games(games=[first], by=None, reason="error", at=at(500))
    change(anna, (START, at(1)))
    assert reason(first) == (True, "")
    with pytest.raises(ValidationError, match=r"RBB 2\.1"):
        reinstate_games(games=[first], by=None, reason="tested")
    change(anna, (START, None))
    reinstate_games(games=[first], by=None, reason="tested")
    assert points(anna) == Decimal("1814.20")
    assert reason(second) == (True, "")


def test_2_1_the_first_moment_is_part_of_a_span_and_the_last_is_not(played):
    anna, games = played
    started = games[0].started_at
    assert preview(proposed(anna, (START, started), (started, None))).moves == []
    change(anna, (started + timedelta(microseconds=1), None))
    assert [reason(one)[0] for one in games] == [False, True]
    change(anna, (START, games[1].started_at))
    assert [reason(one)[0] for one in games] == [True, False]


def test_spans_move_as_one_decision_and_a_span_keeps_its_history(played):
    anna, games = played
    change(anna, (START, at(8)), (at(8), None))
    row = anna.full_memberships.get(full_from=START)
    before = state()
    # The border moves over the second game, which is covered before and after.
    done = change(anna, (START, at(18)), (at(18), None))
    assert done.moved == 0
    assert [reason(one)[0] for one in games] == [True, True]
    assert anna.full_memberships.get(full_from=START).pk == row.pk
    undo(done)
    assert state() == before


@pytest.mark.parametrize(
    ("spans", "said"),
    [([(START, at(9)), (at(8), None)], "overlap"), ([(at(9), at(9))], "must end after it starts")],
)
def test_spans_that_cannot_be_are_refused_and_nothing_is_changed(played, spans, said):
    before = state()
    with pytest.raises(ValidationError, match=said):
        change(played[0], *spans)
    assert state() == before


def shorten(span):
    span.full_until = at(8)
    span.save()


@pytest.mark.parametrize(
    "alone",
    [
        shorten,
        lambda span: span.delete(),
        lambda span: FullMembership.objects.filter(pk=span.pk).update(full_until=at(8)),
        lambda span: FullMembership.objects.filter(pk=span.pk).delete(),
    ],
)
def test_2_1_a_span_is_not_taken_from_under_a_rated_game_without_a_decision(played, alone):
    anna, _games = played
    before = state()
    with (
        pytest.raises(ValidationError, match=r"1 rated game |2 rated games ") as refused,
        transaction.atomic(),
    ):
        alone(anna.full_memberships.get())
    assert "(RBB 2.1)" in str(refused.value)
    assert "by updating members from a file" in str(refused.value)
    assert state() == before


def test_2_1_a_span_without_rated_games_is_changed_as_a_fact(played):
    anna, games = played
    void_games(games=games, by=None, reason="error", at=at(500))
    shorten(anna.full_memberships.get())
    anna.full_memberships.get().delete()
    assert not anna.full_memberships.exists()


def facts():
    """Bob's span and a game of his: the span is entered first, last, or ends and is entered again."""
    anna, bob = rated(1800), member(full_from=None)
    opening(bob, 1700)
    return anna, bob


def test_2_1_the_order_in_which_span_and_game_are_entered_never_matters():
    ledgers = set()
    steps = ("span", "game", "other")
    for order in permutations(steps):
        with transaction.atomic():
            anna, bob = facts()
            for step in order:
                if step == "span":
                    change(bob, (EARLY - timedelta(minutes=8), LATE))
                else:
                    minute = 10 if step == "game" else 30
                    full = bob.full_memberships.exists()
                    game(anna, bob, minute=minute, rated=full, unrated_reason="" if full else BLACK)
            rows = [
                *RatingChange.objects.order_by("occurred_at", "member_id").values_list(
                    "occurred_at", "before", "after"
                ),
                *Rating.objects.order_by("member_id").values_list("rating"),
            ]
            ledgers.add(tuple(rows))
            transaction.set_rollback(True)
    assert len(ledgers) == 1
    assert OpeningRating.objects.count() == 0


class OfMembership(DecisionCase):
    """A member with two games, and another with a game between them."""

    kind = "change-membership"

    def arrange(self):
        self.anna, self.bob, self.carl = rated(1800), rated(1700), rated(1600)
        self.games = [game(self.anna, self.bob, minute=10), game(self.bob, self.anna, minute=30)]
        return self.asked()

    def disturb(self):
        game(self.carl, self.bob, minute=15)

    def state(self):
        return state()


class TestEndingMembership(OfMembership):
    def asked(self):
        return asked(self.anna, (START, at(8)))


class TestDeletingMembership(OfMembership):
    def asked(self):
        return asked(self.anna)


class TestEnteringMembership(OfMembership):
    def asked(self):
        change_spans(member=self.anna, spans=())
        return asked(self.anna, (START, None))


class TestRateGames(OfMembership):
    kind = "rate-games"

    def asked(self):
        change_spans(member=self.anna, spans=())
        change_spans(member=self.anna, spans=[(START, None)], rate=())
        return {"game": [str(one.pk) for one in self.games]}


class TestUnrateGames(OfMembership):
    kind = "unrate-games"

    def asked(self):
        return {"white": [str(self.games[0].pk)], "black": [str(self.games[1].pk)]}


LIST = "/admin/members/member/"


def member_form(who, span=None, **fields):
    """What the page of a member posts: their only span from START on, with the end or deletion given."""
    span = span or who.full_memberships.get()
    return {
        "username": who.username,
        "name": "",
        "fide_id": "",
        "federation": "",
        "sex": "",
        "birth_year": "",
        "title": "",
        "user": "",
        "full_memberships-TOTAL_FORMS": "1",
        "full_memberships-INITIAL_FORMS": "1",
        "full_memberships-0-id": span.pk,
        "full_memberships-0-member": who.pk,
        "full_memberships-0-full_from_0": "2026-03-01",
        "full_memberships-0-full_from_1": "00:00:00",
        "full_memberships-0-full_until_0": "",
        "full_memberships-0-full_until_1": "",
        **fields,
    }


ENDED = {"full_memberships-0-full_until_0": "2026-03-01", "full_memberships-0-full_until_1": "00:08:00"}


@pytest.mark.parametrize(
    ("fields", "left"), [(ENDED, [(START, at(8))]), ({"full_memberships-0-DELETE": "on"}, [])]
)
def test_a_span_changed_on_the_page_of_a_member_leads_to_the_decision_about_the_games(
    staff, played, fields, left
):
    anna, games = played
    page = staff.post(f"{LIST}{anna.pk}/change/", member_form(anna, name="Berg, Anna", **fields))
    text = words(page)
    assert "Change full membership: Berg, Anna" in text
    assert "Full membership hasn’t changed yet" in text
    # The rest of the form is a fact, and stored.
    anna.refresh_from_db()
    assert (anna.name, anna.full_memberships.get().full_until) == ("Berg, Anna", None)
    assert confirmed_on(staff, page).status_code == 302
    assert [one.span for one in anna.full_memberships.all()] == left
    assert [reason(one)[0] for one in games] == [bool(left), False]
    (entry,) = games[1].history.filter(history_type="~")
    assert (entry.history_user.username, entry.history_change_reason) == ("registrar", "seen by two")


def test_the_officer_unticks_what_should_stay_unrated(staff, played):
    anna, games = played
    change_spans(member=anna, spans=[(START, at(8))])
    form = member_form(anna)
    page = staff.post(f"{LIST}{anna.pk}/change/", form)
    assert "rate_games" in page.text
    assert "1 rating" in words(page) or "2 ratings" in words(page)
    address = "/admin/members/member/membership/"
    looked = staff.get(address, asked(anna, (START, None), rate=False))
    assert confirmed_on(staff, looked).status_code == 302
    assert [reason(one)[0] for one in games] == [True, False]


def test_a_span_that_concerns_no_game_is_stored_at_once(staff, played):
    anna, _games = played
    response = staff.post(
        f"{LIST}{anna.pk}/change/",
        member_form(anna, **ENDED | {"full_memberships-0-full_until_1": "20:00:00"}),
    )
    assert response.status_code == 302
    assert anna.full_memberships.get().full_until == at(60 * 20)


def two_spans(who, border):
    """The form of a member with two spans that meet at a minute of the first hour."""
    first, second = who.full_memberships.order_by("full_from")
    ended = {"full_memberships-0-full_until_0": "2026-03-01", "full_memberships-0-full_until_1": border}
    return member_form(
        who,
        first,
        **ended,
        **{
            "full_memberships-TOTAL_FORMS": "2",
            "full_memberships-INITIAL_FORMS": "2",
            "full_memberships-1-id": second.pk,
            "full_memberships-1-member": who.pk,
            "full_memberships-1-full_from_0": "2026-03-01",
            "full_memberships-1-full_from_1": border,
            "full_memberships-1-full_until_0": "",
            "full_memberships-1-full_until_1": "",
        },
    )


@pytest.mark.parametrize("border", ["00:02:00", "00:18:00"])
def test_the_border_between_two_spans_moves_at_once_over_games_that_stay_covered(staff, played, border):
    anna, games = played
    change_spans(member=anna, spans=[(START, at(8)), (at(8), None)])
    response = staff.post(f"{LIST}{anna.pk}/change/", two_spans(anna, border))
    assert response.status_code == 302
    assert anna.full_memberships.filter(full_until=at(int(border[3:5]))).exists()
    assert [reason(one)[0] for one in games] == [True, True]


def test_two_spans_are_made_one_on_the_page_of_a_member(staff, played):
    anna, games = played
    change_spans(member=anna, spans=[(START, at(8)), (at(8), None)])
    form = two_spans(anna, "00:08:00") | {
        "full_memberships-0-full_until_0": "",
        "full_memberships-0-full_until_1": "",
        "full_memberships-1-DELETE": "on",
    }
    assert staff.post(f"{LIST}{anna.pk}/change/", form).status_code == 302
    assert [one.span for one in anna.full_memberships.all()] == [(START, None)]
    assert [reason(one)[0] for one in games] == [True, True]


def test_what_a_registrar_changes_of_a_membership_that_a_game_needs_is_a_task_for_an_officer(
    client, django_user_model, played
):
    anna, games = played
    clerk = django_user_model.objects.create_user("clerk", is_staff=True)
    clerk.groups.add(Group.objects.get(name="Registrars"))
    client.force_login(clerk)
    posted = member_form(anna, title="WFM", **ENDED)
    for told in ("Your other changes have been saved.", ""):
        response = client.post(f"{LIST}{anna.pk}/change/", posted, follow=True)
        # Asked for twice, it waits once.
        proposed = ChangeSet.objects.get()
        text = (
            "1 game depends on this membership (RBB 2.1). Full membership hasn’t changed yet: a rating "
            f"officer has to confirm {proposed.for_staff}. {told}"
        )
        assert [str(one) for one in response.context["messages"]] == [text.strip()]
    anna.refresh_from_db()
    assert (anna.title, anna.full_memberships.get().full_until) == ("WFM", None)
    officer = staff_login("officer", "change-membership")
    officer.user.user_permissions.add(Permission.objects.get(codename="view_changeset"))
    officer.user = type(officer.user).objects.get(pk=officer.user.pk)
    (due,) = [one for one in due_for(officer.user, timezone.now()) if "asks you to confirm" in one.text]
    assert due.link == admin_page(proposed)
    officer.post(due.link, {"second": "", "shown": shown_on(officer.get(due.link))})
    proposed.refresh_from_db()
    assert (proposed.state, proposed.seconded_by) == (ChangeSet.State.APPLIED, officer.user)
    assert anna.full_memberships.get().full_until == at(8)
    assert [reason(one)[0] for one in games] == [True, False]
    assert not [one for one in due_for(clerk, timezone.now()) if "asks you to confirm" in one.text]


def test_games_kept_unrated_that_are_covered_now_are_rated_from_their_list(staff, played):
    anna, games = played
    change_spans(member=anna, spans=())
    change_spans(member=anna, spans=[(START, None)], rate=())
    page = staff.get("/admin/ratings/game/", {"membership": "covered"})
    assert page.status_code == 200
    assert page.text.count("field-ended_at") == 2
    chosen = {"action": "rate", "_selected_action": [one.pk for one in games]}
    looked = staff.post("/admin/ratings/game/", chosen, follow=True)
    assert confirmed_on(staff, looked).status_code == 302
    assert [reason(one)[0] for one in games] == [True, True]
    assert points(anna) == Decimal("1814.20")


def test_the_page_of_a_game_that_is_kept_unrated_says_what_holds_today(client, played):
    anna, (first, _second) = played
    change_spans(member=anna, spans=())
    assert "was not a full member when the game started" in words(client.get(first.get_absolute_url()))
    change_spans(member=anna, spans=[(START, None)], rate=())
    text = words(client.get(first.get_absolute_url()))
    assert "Both players were full members when it started" in text
    assert "Note on the game" not in text
