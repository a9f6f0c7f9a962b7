"""The page “Policy”: a question in a form, a job, and an answer that is kept."""

import random
import re

import pytest
from django.urls import reverse

from members.models import Member
from ratings.formats.variants import read_variant
from ratings.lab import comparing
from ratings.lab.admin import _put
from ratings.lab.arrays import read
from ratings.lab.models import Run
from ratings.lab.verifying import verify
from ratings.office.models import ChangeSet, Job
from ratings.rbb.ledger.replay import deferred
from ratings.rbb.models import Game, Rating, RatingChange
from ratings.rules.time_controls import Category
from tests.arena import CONTROL, at, control, member, opening, projections
from tests.backoffice import keeps_the_policy
from tests.commands import run
from tests.decisions import confirmed_on, found, undo
from tests.pages import words

pytestmark = [pytest.mark.django_db, pytest.mark.long]

ASK = "/admin/lab/run/add/"
K_15 = {"k": "15", "category": "blitz", "rating_from": "1600", "since": "2026-03-02"}


def play(games, people=30):
    """An arena of so many games in blitz, an hour apart."""
    dice = random.Random(1)
    everybody = [member(f"player-{n}") for n in range(people)]
    with deferred():
        for number, who in enumerate(everybody):
            opening(who, 1200 + 20 * number)
        Game.objects.bulk_create(
            Game(
                white=white,
                black=black,
                result=dice.choice(["1-0", "0-1", "1/2-1/2"]),
                time_control=control(CONTROL[Category.BLITZ]),
                started_at=at(60 * n + 60),
                ended_at=at(60 * n + 61),
            )
            for n in range(games)
            for white, black in [dice.sample(everybody, 2)]
        )


@pytest.fixture
def arena():
    play(800)


def answered(staff, worker, **asked):
    """The answer to what is asked in the form."""
    response = staff.post(ASK, asked)
    assert response.status_code == 302, response.context["form"].errors
    worker()
    return Run.objects.get()


@pytest.mark.usefixtures("arena")
class TestAQuestion:
    def test_what_if_k_were_15_for_blitz_above_1600_since_march(self, staff, worker):
        before = projections()
        run = answered(staff, worker, **K_15, cut="2026-03-08")
        assert run.variants == [
            'name = "K 15 blitz from 1600 since 2026-03-02"\nsince = 2026-03-02\n[[k.rule]]\nk = 15\n'
            'category = "blitz"\nrating_from = 1600\n'
        ]
        assert run.job.state == Job.State.DONE
        assert (run.result["games"], run.changed_meanwhile) == (800, False)
        assert run.data_checksum == read().checksum
        today, variant = run.result["rows"]
        assert today["predictions"]["blitz"]["games"] == variant["predictions"]["all"]["games"] == 633
        assert variant["moves"]["blitz"]["moved"][0] > 5
        assert variant["moves"]["rapid"]["both"] == 0
        # Nothing of the office has changed.
        assert projections() == before

    def test_todays_rules_give_the_ratings_of_the_office(self, staff, worker):
        run = answered(staff, worker, toml='name = "The same"')
        best = Rating.objects.filter(category=Category.BLITZ).order_by("-rating", "member")[:20]
        found = [(one.member_id, int(100 * one.rating)) for one in best]
        for row in run.result["rows"]:
            assert [(key, rating) for key, rating, _today in row["list"]["blitz"]] == found
        assert run.result["rows"][1]["moves"]["blitz"]["moved"] == [0] * 5
        assert run.result["rows"][1]["predictions"]["all"]["beside_today"] is None

    def test_the_answer_is_a_page_with_tables_and_pictures(self, staff, worker):
        run = answered(staff, worker, **K_15, ready=["white"], cut="2026-03-08")
        shown = staff.get(reverse("admin:lab_run_change", args=(run.pk,)))
        assert keeps_the_policy(shown)
        said = words(shown)
        assert "K = 15 (Blitz, rating ≥ 1600); from 2 Mar 2026, 00:00 UTC on" in said
        assert "White gets +35 points" in said
        assert "800 games, from 2026-03-01 to 2026-04-03. 633 games since 2026-03-08 were predicted" in said
        assert "30 members are rated under both rules." in said
        assert shown.text.count('<svg class="lab-bars"') == 2
        assert '<svg class="lab-square"' in shown.text
        assert "The ledger changed during" not in said
        best = Member.objects.get(pk=run.result["rows"][0]["list"]["blitz"][0][0])
        assert f'<a href="{best.get_absolute_url()}">{best}</a>' in shown.text
        rapid = words(staff.get(reverse("admin:lab_run_change", args=(run.pk,)), {"category": "rapid"}))
        assert "Too few games for a figure: at least 500 are needed." in rapid
        assert "Too few members for a figure." in rapid
        assert "Too few months for a chart." in rapid
        assert "No member is rated under both rules." in rapid

    def test_a_yardstick_has_predictions_alone(self, staff, worker):
        run = answered(staff, worker, ready=["white", "elo"], cut="2026-03-08")
        white, elo = run.result["rows"][1:]
        assert set(white) - set(elo) == {"drift", "spread", "moves", "list"}
        assert elo["predictions"]["blitz"]["games"] == 633
        shown = words(staff.get(reverse("admin:lab_run_change", args=(run.pk,))))
        assert "Elo, as implemented in elote" in shown
        assert "Members affected: White +35" in shown
        assert "Members affected: Elo" not in shown

    def test_the_ledger_may_change_meanwhile(self, staff, worker, monkeypatch):
        compare = comparing.compare

        def and_a_game_ends(*asked):
            found = compare(*asked)
            Game.objects.earliest("pk").delete()
            return found

        monkeypatch.setattr(comparing, "compare", and_a_game_ends)
        run = answered(staff, worker, **K_15)
        assert run.changed_meanwhile
        shown = words(staff.get(reverse("admin:lab_run_change", args=(run.pk,))))
        assert "The ledger changed during the calculation." in shown

    def test_a_run_that_is_stopped_leaves_no_answer(self, staff, worker, monkeypatch):
        def stopped(*asked):
            from ratings.office.jobs import StoppedError

            raise StoppedError

        monkeypatch.setattr("ratings.lab.comparing.outcome", stopped)
        run = answered(staff, worker, **K_15)
        assert (run.result, run.data_checksum, run.job.state) == (None, "", Job.State.STOPPED)
        shown = staff.get(reverse("admin:lab_run_change", args=(run.pk,)))
        assert "The job was stopped." in words(shown)

    def test_the_command_gives_the_same_answer_from_a_file_of_the_data(self, tmp_path):
        (tmp_path / "white.toml").write_text("[expected]\nwhite_advantage = 35\n")
        assert run("lab", "read", tmp_path / "data.npz").code == 0
        code, said, _err = run(
            "lab", "replay", tmp_path / "white.toml", "--data", tmp_path / "data.npz", "--cut", "2026-03-08"
        )
        assert code == 0
        assert said.startswith("800 games up to 2026-04-03; predictions start on 2026-03-08.\n")
        assert "\nToday’s rules: 633 predicted games; log loss " in said
        assert "\nwhite: 633 predicted games; " in said
        kept = Run.objects.get()
        assert said.endswith(f"Saved as question {kept.pk}.\n")
        assert kept.result == comparing.compare(
            read(), [read_variant(kept.variants[0], "white")], at(7 * 24 * 60)
        )


class TestRefused:
    @pytest.mark.parametrize(
        ("asked", "field", "fault"),
        [
            ({}, "__all__", "Enter a K, choose a variant, or write one."),
            ({"rating_from": "2000"}, "k", "Enter the K you want to try too."),
            (
                {"k": "15", "rating_from": "2000", "rating_below": "1900"},
                "__all__",
                "k.rule 1.rating_below: matches nobody: it isn’t above rating_from",
            ),
            ({"toml": "k = "}, "toml", "This isn’t TOML: Invalid value (at end of document)"),
            (
                {"toml": "floor = 90\n---\n\n---\nbones = 3"},
                "toml",
                "Variant 2: bones: unknown: see the list of fields in docs/lab.md",
            ),
            (
                {"toml": "---\n".join(["floor = 90\n"] * 21)},
                "__all__",
                "Too many variants: ask about 20 or fewer.",
            ),
        ],
    )
    def test_a_question_says_field_and_reason(self, staff, asked, field, fault):
        response = staff.post(ASK, asked)
        assert response.status_code == 200
        assert response.context["form"].errors == {field: [fault]}
        assert not Run.objects.exists()

    def test_a_command_says_file_field_and_reason(self, tmp_path):
        path = tmp_path / "x.toml"
        path.write_text("floor = -1\nbones = 3")
        said = (
            f"{path}: floor: “-1” isn’t a number of points from 0 to 3000, with at most two decimals\n"
            f"{path}: bones: unknown: see the list of fields in docs/lab.md"
        )
        assert run("lab", "replay", path) == (1, "", said)
        path.write_bytes(b"\xff")
        assert run("lab", "replay", path) == (1, "", f"{path}: the file isn’t UTF-8 text")

    def test_without_packages_the_page_says_what_to_install(self, staff, monkeypatch):
        monkeypatch.setattr("ratings.lab.admin.is_installed", lambda: False)
        shown = staff.get(ASK)
        assert "The rating lab needs packages that aren’t installed." in words(shown)
        assert "<textarea" not in shown.text

    def test_an_office_without_games_has_an_answer_without_figures(self, staff, worker):
        run = answered(staff, worker, **K_15)
        shown = words(staff.get(reverse("admin:lab_run_change", args=(run.pk,))))
        assert "Too few games for a figure" in shown


@pytest.mark.usefixtures("arena")
def test_from_an_answer_to_a_decision_and_back_byte_for_byte(staff, worker, client):
    """K 15 in blitz above 1600 since a day in March, asked, put into force, explained and undone."""
    before = projections()
    asked = answered(staff, worker, **K_15, ready=["logistic", "elo"])
    page = staff.get(f"/admin/lab/run/{asked.pk}/change/").text
    links = re.findall(r'href="(/admin/lab/run/\d+/put/\d+/)"', page)
    # The yardstick is another rating system.
    assert links == [f"/admin/lab/run/{asked.pk}/put/{number}/" for number in (1, 2)]
    shown = found(staff, staff.get(links[0]), follow=True)
    assert "2 Mar 2026" in shown.text
    assert "Blitz, rating ≥ 1600" in shown.text
    assert projections() == before
    confirmed_on(staff, shown)
    worker()
    done = ChangeSet.objects.get(kind="put-edition-into-force")
    assert done.state == ChangeSet.State.APPLIED, done.outcome
    assert done.moved > 5
    # The ratings are those that the answer gave the variant.
    best = Rating.objects.filter(category=Category.BLITZ).order_by("-rating", "member")[:20]
    answer = asked.result["rows"][1]["list"]["blitz"]
    assert [(key, rating) for key, rating, _today in answer] == [
        (one.member_id, int(100 * one.rating)) for one in best
    ]
    assert verify().first == ""
    line = RatingChange.objects.filter(k=15).in_order().last()
    assert "Under the rules in force since 2 Mar 2026." in client.get(line.get_absolute_url()).text
    undone = undo(done)
    assert undone.moved == done.moved
    assert projections() == before
    assert verify().first == ""


@pytest.mark.usefixtures("arena")
def test_what_can_only_be_asked_is_refused_on_the_form_with_the_reason(staff, worker):
    asked = answered(staff, worker, ready=["logistic"])
    page = staff.get(f"/admin/lab/run/{asked.pk}/put/1/")
    assert 'name="since"' in page.text
    toml = asked.variants[0]
    refused = staff.post("/admin/ratings/ruleedition/put/", {"since": "2026-03-02", "toml": toml})
    assert (
        "expected.formula: you can ask a policy question about this, but not put it into force"
        in refused.text
    )
    assert staff.get(f"/admin/lab/run/{asked.pk}/put/2/").status_code == 404


def test_an_answer_of_whr_says_whose_ratings_lag_and_the_public_page_too(staff, worker, client):
    play(2_000, people=45)
    kept = answered(staff, worker, toml='yardstick = "whr"')
    told = "New players: their first 30 games 45 −2 −56 … +52 Juniors: under 18 by year of birth 0 too few"
    assert told in words(staff.get(reverse("admin:lab_run_change", args=(kept.pk,))))
    said = words(client.get("/lab/scale/lists/blitz/"))
    assert told in said
    assert "From 2000 games among the most active members, 45 of them established. Calculated on" in said
    assert "Whose ratings lag" not in words(client.get("/lab/scale/lists/rapid/"))


@pytest.mark.parametrize(
    ("toml", "parameters"),
    [
        (
            'name = "K"\nsince = 2026-03-02\n[k]\nblitz = 15\n',
            {"since": ["2026-03-02"], "toml": ["[k]\nblitz = 15\n"]},
        ),
        ("[k]\nblitz = 15\n", {"toml": ["[k]\nblitz = 15\n"]}),
        # A name over two lines can't be taken out line by line.
        ('name = """\nK"""\n[k]\nblitz = 15\n', {"toml": ['name = """\nK"""\n[k]\nblitz = 15\n']}),
        ("[k]\nunknown = 1\n", {"toml": ["[k]\nunknown = 1\n"]}),
    ],
)
def test_a_variants_rules_are_filled_in_without_its_name_and_day(toml, parameters):
    assert _put(toml) == parameters
