"""Editions of RBB by date: the ledger under them, whenever the office decides them."""

import random
from datetime import UTC, date, datetime
from itertools import product

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from ratings.office.decision_types import kind_of
from ratings.rbb.decisions.editions import EditionForm
from ratings.rbb.explanation import explain
from ratings.rbb.ledger.replay import deferred, replay
from ratings.rbb.lists.freezing import checksum_of
from ratings.rbb.lists.publishing import publish
from ratings.rbb.models import Game, Rating, RatingChange, RatingListEntry, RuleEdition
from ratings.rules.time_controls import Category
from tests.arena import CONTROL, at, game, member, opening, projections, rated, rebuild
from tests.decisions import decided, undo
from tests.histories import seeds
from tests.pages import words

pytestmark = pytest.mark.django_db

STRONG = '[[k.rule]]\nk = 15\ncategory = "blitz"\nrating_from = 2000\n'


def put(since, toml=STRONG):
    return decided("put-edition-into-force", since=[since], toml=[toml])


def withdraw(since):
    return decided("withdraw-edition", since=[since])


def ks(who):
    lines = RatingChange.objects.filter(member=who, k__isnull=False).order_by("occurred_at", "id")
    return list(lines.values_list("k", flat=True))


def day(number):
    """Minutes from START to this day of March 2026."""
    return (number - 1) * 24 * 60


@pytest.fixture
def two():
    """Three games of two members, on the 2nd, 3rd and 4th of March."""
    one, other = rated(2100), rated(1900)
    for number, result in ((2, "0-1"), (3, "1-0"), (4, "1/2-1/2")):
        game(one, other, result, minute=day(number))
    return one, other


def test_a_day_in_the_past_rates_its_games_and_the_later_ones_again_and_no_others(two):
    before = projections()
    done = put("2026-03-03")
    assert [ks(who) for who in two] == [[20, 15, 15], [20, 20, 20]]
    # 2084.80 and 1915.20; D = 170, H = 0.72: 15 × 0.28 and 20 × −0.28.
    lines = list(RatingChange.objects.filter(occurred_at=at(day(3))).order_by("pk"))
    assert [f"{line.change:.2f}" for line in lines] == ["4.20", "-5.60"]
    assert done.moved == 2
    rebuild()
    kept = projections()
    assert undo(done).moved == 2
    assert projections() == before
    assert put("2026-03-03").moved == 2
    assert projections() == kept


def test_a_day_to_come_moves_nothing_until_games_are_played_on_it(two):
    before = projections()
    done = put("2099-03-01")
    assert projections() == before
    assert done.outcome[0]["text"] == "No rating changes before the edition comes into force on 1 Mar 2099."
    assert [fact[3:] for fact in done.shown["facts"]] == [["", "15"]]


def test_the_newest_game_is_rated_under_the_edition_of_its_own_moment(two):
    put("2026-03-05")
    game(*two, "1-0", minute=day(5) - 1)
    game(*two, "1-0", minute=day(5))
    assert ks(two[0]) == [20, 20, 20, 20, 15]
    kept = projections()
    rebuild()
    assert projections() == kept


def test_a_correction_follows_what_it_moves_under_the_editions_of_the_games(two):
    put("2026-03-04")
    first = Game.objects.earliest("ended_at")
    first.result = "1-0"
    first.save()
    assert ks(two[0]) == [20, 20, 15]
    kept = projections()
    rebuild()
    assert projections() == kept


TOMLS = (
    STRONG,
    "[k]\nrapid = 25\nbullet = 12\n",
    "[k]\npreviously_unrated = 32\npreviously_unrated_games = 8\n",
    "[first_rating]\nbonus = 5.5\n[expected]\ncap = 200\n",
    "[[k.rule]]\nk = 11\nrating_below = 1500\n"
    "[[k.rule]]\nk = 50\npreviously_unrated = true\ngames_below = 7\n",
)


@pytest.mark.long
@pytest.mark.parametrize("seed", seeds(6))
def test_the_ledger_follows_from_games_and_editions_in_whatever_order_the_office_learns_them(seed):
    dice = random.Random(seed)
    people = [member() for _ in range(8)]
    for who, category in product(people, Category):
        if dice.random() < 0.7:
            opening(
                who, dice.randrange(100, 2400), category, games=dice.randrange(20), previously_unrated=True
            )
    days = dice.sample(range(1, 9), len(TOMLS))
    some = [(f"2026-03-{number:02}", toml) for number, toml in zip(days, TOMLS, strict=True)]
    games = []
    for _ in range(60):
        white, black = dice.sample(people, 2)
        result = dice.choice(["1-0", "0-1", "1/2-1/2"])
        notation = dice.choice(list(CONTROL.values()))
        games.append(game(white, black, result, minute=dice.randrange(5, day(9)), notation=notation))
    printed = projections()
    for one in some:
        put(*one)
    under_all = projections()
    assert under_all != printed
    for since, _toml in dice.sample(some, len(some)):
        withdraw(since)
    assert projections() == printed
    # Now the office learns games and editions in any order, some of them twice.
    for one in games[::2]:
        one.voided_at, one.void_reason = timezone.now(), "error"
        one.save()
    facts = [*some, *games[::2]]
    for fact in dice.sample(facts, len(facts)):
        if isinstance(fact, tuple):
            put(*fact)
        else:
            fact.voided_at, fact.void_reason = None, ""
            fact.save()
    assert projections() == under_all
    rebuild()
    assert projections() == under_all


def test_only_categories_in_which_an_edition_differs_are_replayed(two):
    with deferred() as work:
        RuleEdition(since=date(2026, 3, 1), toml=STRONG).save()
        assert set(work.touched) == {Category.BLITZ}
    assert replay(check=True).differences == 0


def test_an_edition_is_stored_only_where_a_replay_follows():
    edition = RuleEdition(since=date(2026, 3, 1), toml=STRONG)
    with pytest.raises(RuntimeError, match=r"RuleEdition.save\(\) changes ratings"):
        edition.save()
    put("2026-03-01")
    with pytest.raises(RuntimeError, match=r"RuleEdition.delete\(\) changes ratings"):
        RuleEdition.objects.get().delete()


def test_a_list_has_the_k_of_the_edition_at_its_moment():
    strong, weak, new = rated(2100), rated(1900), rated(2100, games=10, previously_unrated=True)
    game(strong, weak, minute=day(2))
    put("2026-03-20")
    put("2026-04-01", "[k]\npreviously_unrated = 32\n")
    put("2026-04-02", "[k]\nblitz = 7\n")
    publish(
        month=datetime(2026, 4, 1, tzinfo=UTC), category=Category.BLITZ, at=datetime(2026, 4, 3, tzinfo=UTC)
    )
    listed = dict(RatingListEntry.objects.values_list("member", "k"))
    assert listed == {strong.pk: 15, weak.pk: 20, new.pk: 32}


def test_a_published_list_that_it_reaches_is_named_and_stays_until_it_is_revised(two):
    month = datetime(2026, 4, 1, tzinfo=UTC)
    first, _new = publish(month=month, category=Category.BLITZ, at=datetime(2026, 4, 2, tzinfo=UTC))
    before = first.checksum
    done = put("2026-03-03")
    lists = [fact for fact in done.shown["facts"] if fact[0] == "lists"]
    assert lists == [["lists", f"list {first.pk}", f"{first} (2 lines)", "", "2"]]
    (step,) = kind_of(done.kind).next_steps(done.shown)
    assert step[1:] == ("revise-lists", {"list": [str(first.pk)]})
    first.refresh_from_db()
    assert (first.checksum, checksum_of(first)) == (before, before)
    revised, is_new = publish(
        month=month, category=Category.BLITZ, at=datetime(2026, 4, 3, tzinfo=UTC), revise=True
    )
    assert (is_new, revised.revision) == (True, 2)
    ratings = dict(revised.entries.values_list("member", "rating"))
    assert ratings == dict(Rating.objects.values_list("member", "rating"))


def fault(toml, since="2027-03-01", field="toml"):
    form = EditionForm({"since": since, "toml": toml})
    assert not form.is_valid()
    assert set(form.errors) == {field}
    return form.errors[field]


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        (
            "floor = 150",
            "floor: you can ask a policy question about this, but not put it into force: "
            "the floor is 100 (RBB 3.2).",
        ),
        (
            "[first_rating]\ngames = 7",
            "first_rating.games: you can ask a policy question about this, but not put it into force: "
            "a first rating needs five "
            "results (RBB 3.6).",
        ),
        (
            "[first_rating]\nstart = 1500",
            "first_rating.start: you can ask a policy question about this, but not put it into force: "
            "a first rating comes from a FIDE"
            " list or from results (RBB 3.4, 3.6).",
        ),
        (
            '[expected]\nformula = "logistic"',
            "expected.formula: you can ask a policy question about this, but not put it into force: "
            "expected scores are those of table"
            " 4.2 (RBB 3.9.1).",
        ),
        (
            "[expected]\nwhite_advantage = 35",
            "expected.white_advantage: you can ask a policy question about this, but not put it into force: "
            "the rules treat White "
            "and Black alike (RBB 3.9.1).",
        ),
        (
            "[[k.rule]]\nk = 12\n[[k.rule]]\nk = 15\nage_below = 18",
            "k.rule 2.age: you can ask a policy question about this, but not put it into force: "
            "not every member’s year of birth is"
            " known.",
        ),
        (
            'yardstick = "elo"',
            "yardstick: you can ask a policy question about this, but not put it into force: "
            "this is a different rating system.",
        ),
        ("[k]\nblitz = 0", "k: with K = 0 games would change nothing. Use 1 or more."),
        ("[k]\nblitz = 20", "This changes nothing: these numbers are already in force on that day."),
        ("", "This field is required."),
        ("# nothing", "This changes nothing: these numbers are already in force on that day."),
        ("since = 2027-03-02\n[k]\nblitz = 15", "since: this differs from the day above. Remove this line."),
        ("[k]\nblitz = 401", "k.blitz: “401” isn’t a whole number from 0 to 400"),
    ],
)
def test_what_cannot_be_put_into_force_is_refused_with_field_and_reason(toml, said):
    assert fault(toml) == [said]


def test_a_day_has_one_edition():
    put("2027-03-01")
    said = "An edition is already in force from this day. Withdraw it first."
    assert fault("[k]\nblitz = 15", field="since") == [said]
    with pytest.raises(ValidationError, match="Withdraw it first"):
        put("2027-03-01", "[k]\nblitz = 15")
    with pytest.raises(ValidationError, match="No edition is in force from this day"):
        withdraw("2027-03-02")


def test_the_register_says_what_applies_from_when_on(client):
    done = put("2026-03-03", STRONG + "[first_rating]\nbonus = 15\n")
    page = client.get(done.get_absolute_url()).text
    told = (
        "RBB from 3 Mar 2026: first rating: points for each half point over 50%: 15 · K = 15 (Blitz, "
        "rating ≥ 2000)"
    )
    assert told in page
    undone = withdraw("2026-03-03")
    assert "3 Mar 2026 edition of the RBB withdrawn" in client.get(undone.get_absolute_url()).text


def steps_of(who, number=-1):
    """The steps of a member’s line by name: text and articles."""
    row = list(RatingChange.objects.filter(member=who).with_events().in_order())[number]
    return {step.name: step for step in explain(row).steps}


class TestAnExplanation:
    """Each number cites the edition that gives it, and leads to the decision."""

    def test_says_by_which_rule_k_is_another(self, two, client):
        done = put("2026-03-04")
        k = steps_of(two[0])["k"]
        assert k.text == "K = 15: Blitz, rating ≥ 2000. Under the rules in force since 4 Mar 2026."
        assert (k.articles, k.values["edition"]) == (("3.10",), "2026-03-04")
        assert k.decision == done.get_absolute_url()
        line = RatingChange.objects.filter(member=two[0]).in_order().last()
        page = client.get(line.get_absolute_url()).text
        assert f'<a href="{done.get_absolute_url()}">Decision</a>' in page
        assert "Under the rules in force since 4 Mar 2026." in page
        # The opponent's K, and K before that day, are those of the printed regulations.
        for step in (steps_of(two[1])["k"], steps_of(two[0], -2)["k"]):
            assert "edition" not in step.text
            assert "edition" not in step.values
            assert step.decision == ""

    def test_says_by_which_edition_a_category_has_another_k(self, two):
        put("2026-03-03", "[k]\nblitz = 16\n")
        put("2026-03-04", "[k]\nrapid = 16\n")
        k = steps_of(two[0])["k"]
        assert k.text.startswith("K = 16 for blitz: K = 40 does not apply, because")
        assert k.text.endswith("Under the rules in force since 3 Mar 2026.")
        assert k.articles == ("3.10.1", "3.10.3")

    def test_says_until_which_game_new_members_have_another_k(self):
        new, other = rated(1500, games=10, previously_unrated=True), rated(1500)
        for number in (2, 3):
            game(new, other, minute=day(number))
        put("2026-03-01", "[k]\npreviously_unrated = 32\npreviously_unrated_games = 11\n")
        first, second = steps_of(new, -2)["k"], steps_of(new)["k"]
        assert first.text.endswith(
            "game 11 of the first 11 since then. Under the rules in force since 1 Mar 2026."
        )
        assert first.text.startswith("K = 32: ")
        assert second.text.startswith("K = 20 for blitz: K = 32 ended after game 11, and this is game 12")
        assert second.text.endswith("Under the rules in force since 1 Mar 2026.")
        opened = steps_of(new, 0)["k"]
        assert opened.text.startswith(
            "The rating was carried over with 10 rated games. K = 32 until game 11."
        )

    def test_says_that_a_difference_counts_as_the_cap(self):
        strong, weak = rated(2400), rated(1200)
        game(strong, weak, "0-1", minute=day(2))
        put("2026-03-01", "[expected]\ncap = 400\n")
        expected = steps_of(strong)["expected"]
        assert expected.text.startswith("D = 1200 counts as 400. PD = 0.92: D = 400 falls in row 392–411")
        assert expected.text.endswith("Under the rules in force since 1 Mar 2026.")
        assert expected.excerpt.chosen.cells[1] == "0.92"

    def test_says_what_a_half_point_above_an_even_score_adds(self):
        new = member()
        for minute in range(10, 15):
            game(new, rated(1500), minute=minute)
        put("2026-03-01", "[first_rating]\nbonus = 15.5\n")
        steps = steps_of(new)
        assert steps["addition"].text == (
            "5 out of 5 is 5 half points over 50%, 15.5 points each: 77.50 is added to Ra. Under the "
            "rules in force since 1 Mar 2026."
        )
        assert steps["after"].text == "Rf = 1500.00 + 77.50 = 1577.50."

    def test_of_a_lost_rating_finds_its_k(self):
        weak = rated(105)
        game(weak, rated(105), "0-1", minute=day(2))
        put("2026-03-01", "[[k.rule]]\nk = 50\nrating_below = 200\n")
        k = steps_of(weak)["k"]
        assert k.text == "K = 50: rating < 200. Under the rules in force since 1 Mar 2026."

    def test_beside_the_profiles_k(self, client):
        who = rated(2100)
        put("2026-03-01")
        assert "K 15 RBB 3.10.1 edition of 1 Mar 2026" in words(client.get(who.get_absolute_url()))
